import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIMIT_MS = 300_000;

test(
  'the example on a Gitea lands what passes, and Gitea shows it as merged',
  async () => {
    const argv = ['--conditions=mq-source', '--import=tsx', 'examples/04-gitea/main.ts'];
    const child = spawn(process.execPath, argv, { cwd: ROOT });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = await once(child, 'close');
    expect(output.trim().split('\n').slice(-5)).toEqual([
      '#1 lid: 4 merged',
      '#2 handle: 7 merged',
      '#3 leak: 40 open',
      '#4 spout: 2 merged',
      '#5 label: 1 merged',
    ]);
    expect(output).toMatch(/#3 failed: within the limit/);
    expect(code).toBe(0);
  },
  LIMIT_MS,
);
