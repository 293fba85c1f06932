import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generate, type LoadName } from './generated.js';
import { parseWorkload, type Workload } from './workload.js';

test('the load of a committed file is reproduced, except for the last bits of its times', async () => {
  const file = new URL('./workloads/E3burst-1.json', import.meta.url);
  const committed = parseWorkload(JSON.parse(await readFile(file, 'utf8')));

  expect(rounded(generate('E3burst', 1))).toEqual(rounded(committed));
});

const rounded = (load: Workload): Workload => ({
  ...load,
  prs: load.prs.map((one) => ({ ...one, arr: Number(one.arr.toFixed(9)), dur: Number(one.dur.toFixed(9)) })),
});

/** Digests of the files of gen.py, with times to six digits. */
const digests: readonly (readonly [LoadName, readonly string[]])[] = [
  ['E2a', ['5bc52a6a3fa1eda7', '47c9c097ee1a86ce', '4d6f69d67d688793', '5d8f35b65d9cea61']],
  ['E2c', ['a09eb3f74e0ce1af', 'c3955145aa378c20', 'b4f94a7704d802cb', '891a85d48a4b3983']],
  ['E3burst', ['54eb44912234566b', '0e0d5968493133d7', '7d587821d19680b2', '98f91864b278f428']],
  ['E3h4', ['2541bc0839470444', '75b47d5ac737bd9b', 'a93a96da25763535', '2ac123850024b5cb']],
  ['E1x100', ['18b1915028cb5986', '99531075810a55f4', 'ef9b63c6506ea9f5', 'c0a062f7b62c98eb']],
  ['E4', ['f996d3eefbfea61b', 'ddd46cc2bf17fa02', '20609af29a46a7cb', '6915d05393b42ba6']],
];

test.each(digests)('%s with seeds 1 to 4 equals the load of the Python generator', (name, expected) => {
  expect(expected.map((_, index) => digestOf(generate(name, index + 1)))).toEqual(expected);
});

const digestOf = ({ prs }: Workload): string => {
  const lines = prs.map(({ i, arr, dur, bad, tg, conf }) =>
    [i, arr.toFixed(6), dur.toFixed(6), bad, tg, conf].join(' '),
  );
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
};
