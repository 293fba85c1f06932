import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Runs an example from its sources, as `npm run example <name>` does, and answers all that it printed. */
const runExample = (name: string): Promise<{ readonly code: number | null; readonly lines: string[] }> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL(`${name}/main.ts`, import.meta.url));
    const child = spawn(process.execPath, ['--conditions=mq-source', '--import=tsx', main], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, lines: output.trim().split('\n') }));
  });

test('the example in process merges what is good and holds back what is broken', async () => {
  const { code, lines } = await runExample('01-in-process');
  expect(lines.slice(-3)).toEqual([
    '#1 ended merged: Add a lid',
    '#2 ended failed: Add a leak',
    '#3 ended merged: Add a handle',
  ]);
  expect(code).toBe(0);
});

test('the example inside of a bot takes commands from its webhooks, beside the bot', async () => {
  const { code, lines } = await runExample('03-inside-a-bot');
  expect(lines).toEqual([
    'the bot greets ada: 200',
    'a forged event: 401',
    'ada writes "/mq merge" at #1: 200',
    'eve writes "/mq merge" at #2: 200',
    '#1 is merged',
    '#2 was answered: refused',
  ]);
  expect(code).toBe(0);
});

test('the example on a git repository lands what passes and names the check that failed', async () => {
  const { code, lines } = await runExample('02-local-git');
  expect(lines.slice(0, 3).sort()).toEqual([
    '#1 merged',
    expect.stringMatching(/^#2 failed: within the limit/),
    '#3 merged',
  ]);
  expect(lines.slice(3)).toEqual(['main: 10', 'lid: 4 (#1)', 'handle: 7 (#3)']);
  expect(code).toBe(0);
});
