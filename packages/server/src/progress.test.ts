import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withProgress } from './progress.js';

const GIVE_UP_MS = 20_000;

test('progress is printed while the work blocks the event loop, and not after the work has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-progress-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'output');
  const to = openSync(file, 'w');
  onTestFinished(() => closeSync(to));
  const printed = () => readFileSync(file, 'utf8');

  const seenWhileBlocked = await withProgress({ line: 'Working, %s s so far…', everyMs: 1, to }, async () => {
    const deadline = Date.now() + GIVE_UP_MS;
    while (printed() === '' && Date.now() < deadline);
    return printed();
  });
  const atEnd = printed();

  expect(seenWhileBlocked).toMatch(/^Working, 0 s so far…$/m);
  await new Promise((resolve) => setImmediate(resolve));
  expect(printed()).toBe(atEnd);
});
