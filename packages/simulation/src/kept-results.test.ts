import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Kept } from './kept-results.js';
import { Summary } from './summary.js';

let folder: string;
let file: string;
let bundle: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mq-kept-'));
  file = join(folder, 'kept');
  bundle = join(folder, 'bundle.mjs');
  await writeFile(bundle, 'one()\n//# sourceMappingURL=here');
});

afterEach(() => rm(folder, { recursive: true }));

const lived = (seed: number): Summary => {
  const summary = new Summary();
  const violations = seed === 2 ? [{ checker: 'correct culprits', sentence: 'A wrong one.' }] : [];
  const counts = { commands: seed, runs: 1 };
  summary.add({ seed, violations, digest: '', events: 10, virtualMs: 3_600, counts, lines: [] });
  return summary;
};

test('a run that was interrupted resumes with its previous sums', async () => {
  const before = await Kept.open(file, bundle, 1);
  await before.add(1, lived(1));
  await before.add(2, lived(2));
  await writeFile(bundle, 'one()\n//# sourceMappingURL=elsewhere');

  const after = await Kept.open(file, bundle, 1);

  expect(after.summary.data()).toMatchObject({
    seeds: 2,
    events: 20,
    violations: [{ seed: 2, checker: 'correct culprits' }],
    counts: { commands: 3, runs: 2 },
  });
  expect(after.summary.tables()).toBe(before.summary.tables());
});

test('a block that was cut off while it was written is run again', async () => {
  await (await Kept.open(file, bundle, 1)).add(1, lived(1));
  await appendFile(file, '{"sources":"');

  const again = await Kept.open(file, bundle, 1);
  expect(again.summary.seeds).toBe(1);
  await again.add(2, lived(2));

  expect((await Kept.open(file, bundle, 1)).summary.seeds).toBe(2);
});

test('results of other sources are refused', async () => {
  await (await Kept.open(file, bundle, 1)).add(1, lived(1));
  await writeFile(bundle, 'other()');

  await expect(Kept.open(file, bundle, 1)).rejects.toThrow('other sources');
});

test('results of other seeds are refused', async () => {
  await (await Kept.open(file, bundle, 1)).add(1, lived(1));

  await expect(Kept.open(file, bundle, 50)).rejects.toThrow('does not continue from seed 50');
});
