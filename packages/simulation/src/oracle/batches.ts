import { activeBatchSize, activeConcurrency, type Submission, type TestRun } from '@mq/core';
import { countedTargets, doMeet } from '@mq/testkit';
import { attemptKey, type Change, type Check, isOf, type Mirror } from './ledger.js';
import { targetsOf } from './line.js';

/**
 * No test run starts if all slots of its pool are taken. Bisection and baseline runs have their own slots. A test run whose
 * check was rerun by a person takes none.
 */
export const slotLimits: Check = ({ commit, after }) => {
  const created = commit.writes.history.flatMap((row) =>
    row.type === 'run' && row.change === 'created' ? [row.purpose] : [],
  );
  const open = [...after.runs.values()].filter((run) => run.state !== 'ended' && run.rerunSince === null);
  const { concurrency, bisectionConcurrency } = after.queue.settings;
  const tests = open.filter(({ purpose }) => purpose.kind === 'test').length;
  const causes = open.filter(
    ({ purpose }) => purpose.kind === 'isolate' || purpose.kind === 'control',
  ).length;
  const room = bisectionConcurrency ?? concurrency;
  const faults: string[] = [];
  const active = activeConcurrency(after.queue);
  if (created.includes('test') && tests > active)
    faults.push(`${tests} concurrent test runs; the limit is ${active}.`);
  if ((created.includes('isolate') || created.includes('control')) && causes > room)
    faults.push(`${causes} concurrent bisection and baseline runs; the limit is ${room}.`);
  return faults;
};

/** A batch has members of one lane, within its size limit, and none that must be tested alone. */
export const batchRules: Check = (change) =>
  change.commit.writes.history.flatMap((row) => {
    if (row.type !== 'run' || row.change !== 'created' || row.purpose !== 'test') return [];
    const run = change.after.runs.get(row.runId);
    return run === undefined || run.batch.length < 2 ? [] : batchFaults(change, run);
  });

const batchFaults = ({ before, after }: Change, run: TestRun): readonly string[] => {
  const members = run.batch.flatMap((member) => {
    const submission = after.submissions.get(member.submissionId);
    return submission !== undefined && isOf(member, submission) ? [submission] : [];
  });
  const names = members.map(({ pr }) => `#${pr}`).join(' ');
  const faults = members
    .filter((one) => one.alone)
    .map((one) => `${attemptKey(one)} must be tested alone, but is tested in ${names}.`);
  // A batch that was started stays a batch, even if the settings change.
  if (members.some((one) => hadPlace(before, one))) return faults;
  const { batch } = after.queue.settings;
  const size = activeBatchSize(after.queue);
  if (!batch) faults.push(`${names} are tested together, but batching is off.`);
  if (members.length > size) faults.push(`${names} are more than ${size}, the size limit.`);
  for (const [index, one] of members.entries()) {
    if (one.noBatch) faults.push(`${attemptKey(one)} was submitted with noBatch, but is tested in ${names}.`);
    if (isRuledOut(after, one))
      faults.push(`${attemptKey(one)} is tested in ${names} against a batching rule.`);
    const ahead = members.slice(0, index);
    if (index > 0 && !ahead.some((other) => doMeet(targetsOf(after, other), targetsOf(after, one))))
      faults.push(`${attemptKey(one)} is tested in ${names}, but overlaps with none of them.`);
  }
  return faults;
};

const hadPlace = (before: Mirror, { id, attempt }: Submission): boolean => {
  const had = before.submissions.get(id);
  return had?.attempt === attempt && had.place !== null;
};

const isRuledOut = (mirror: Mirror, submission: Submission): boolean => {
  const { mode, batchingRules } = mirror.queue.settings;
  const targets = countedTargets(mirror.targets.get(submission.pr), submission.head, mirror.queue.settings);
  if (mode === 'single' || targets === 'ALL') return false;
  return batchingRules.some(({ targetPattern }) =>
    targetPattern.endsWith('*')
      ? targets.some((target) => target.startsWith(targetPattern.slice(0, -1)))
      : targets.includes(targetPattern),
  );
};
