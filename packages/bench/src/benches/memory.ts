import type { Input } from '@mq/core';
import { Random } from '@mq/random';
import { anActor, BUILT_AT, inputIdOf } from '@mq/testkit';
import { atMost, type Bench, type Findings, figure } from '../bench.js';
import { collect } from '../collect.js';
import { Host } from '../world/host.js';
import { Replica } from '../world/replica.js';
import { drawTargets, TARGETS_PER_PULL_REQUEST } from '../world/targets.js';

const sizes = { full: 10_000, tiny: 50 } as const;
const AT_ONCE = 500;
const MEGABYTE = 1_000_000;

export const memory: Bench = {
  name: 'memory',
  title: 'The memory of a long queue',
  parts: [
    (size, note) => {
      const submissions = sizes[size];
      note(`filling a queue of ${figure(submissions)}`);
      return findings(submissions, measure(submissions));
    },
  ],
};

/** The bytes that the state of such a queue adds to the heap. */
const measure = (submissions: number): number => {
  const before = heapInUse();
  const replica = filled(submissions);
  const after = heapInUse();
  if (replica.state.submissions.size !== submissions)
    throw new Error('Some submissions are missing in the queue.');
  return after - before;
};

const filled = (submissions: number): Replica => {
  const replica = new Replica({ mode: 'parallel', concurrency: 50 });
  const random = new Random(1);
  for (let first = 1; first <= submissions; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, submissions - first + 1);
    const inputs = Array.from({ length: count }, (_, index) => arrival(first + index, random)).flat();
    replica.decide(inputs, BUILT_AT);
  }
  return replica;
};

/** A copy as it comes over the wire, without shared strings. */
const arrival = (pr: number, random: Random): readonly Input[] => {
  const host = new Host({ isBroken: () => false, testMs: () => 0 });
  const asked = { actor: anActor, digest: null };
  const pull = host.pull(pr, BUILT_AT);
  const upload: Input = {
    ...asked,
    id: inputIdOf(2 * pr),
    type: 'set_impacted_targets',
    pr,
    head: pull.head,
    targets: drawTargets(random),
    source: 'trusted',
  };
  const submit: Input = { ...asked, id: inputIdOf(2 * pr + 1), type: 'submit', pull, expectedHead: null };
  return JSON.parse(JSON.stringify([upload, submit]));
};

const heapInUse = (): number => {
  for (let round = 0; round < 3; round += 1) collect('all');
  return process.memoryUsage().heapUsed;
};

const findings = (submissions: number, bytes: number): Findings => ({
  about: `The heap of a replica that ${figure(submissions)} waiting pull requests take, with ${TARGETS_PER_PULL_REQUEST} impacted targets and a text of 300 characters each, after a garbage collection.`,
  goals: [atMost(`a queue of ${figure(submissions)}`, 64, bytes / MEGABYTE, ' MB')],
  tables: [
    {
      head: ['submissions', 'MB', 'bytes per submission'],
      rows: [[figure(submissions), figure(bytes / MEGABYTE), figure(bytes / submissions)]],
    },
  ],
  data: { submissions, bytes },
});
