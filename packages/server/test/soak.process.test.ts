import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readOptions } from './soak/options.js';

// For longer: `npm run soak`.

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const MAIN = fileURLToPath(new URL('soak/main.ts', import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const soak = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const node = ['--conditions=mq-source', `--import=${TSX}`, MAIN, ...args];
    execFile(process.execPath, node, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

test('two replicas that are killed again and again under load lose nothing and land nothing twice', async () => {
  const { code, stdout, stderr } = await soak(
    '--seed',
    '7',
    '--kills',
    '3',
    '--kill-every',
    '3',
    '--load',
    '5',
    '--json',
  );
  expect([code, stderr.split('\n').filter((line) => line.includes('Error'))]).toEqual([0, []]);
  const report = JSON.parse(stdout);
  expect(report.violations).toEqual([]);
  expect(report.faults['kills with `kill -9`']).toBeGreaterThanOrEqual(3);
  expect(report.faults['restarts of PostgreSQL']).toBe(1);
  expect(report.counts.landed).toBeGreaterThan(0);
});

test.each([
  [['--minutes', 'many'], '--minutes is "many"; it must be a number from 0.01 to 10080.'],
  [['--minutes', '1', '--kills', '5'], 'Give --minutes or --kills, not both.'],
  [['--kills', '5', '--kill-every', '0'], 'With --kills there have to be kills'],
])('%j cannot be meant', (args, wrong) => {
  expect(() => readOptions(args)).toThrow(wrong);
});

test('an unknown option is answered with the options that there are', async () => {
  const { code, stderr } = await soak('--kill', '9');
  expect([code, stderr]).toEqual([2, expect.stringContaining("Unknown option '--kill'")]);
  expect(stderr).toContain('--kill-every N');
});
