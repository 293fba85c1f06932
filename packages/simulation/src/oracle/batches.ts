import { activeBatchSize, activeConcurrency, type Submission, type TestRun } from '@mq/core';
import { doMeet } from '@mq/testkit';
import { attemptKey, type Change, type Check, isOf, type Mirror } from './ledger.js';
import { targetsOf } from './line.js';

/**
 * No run starts where all slots of its pool are taken: tests that look for a cause have slots of their own. A check that was
 * run again by people takes none.
 */
export const slotsHold: Check = ({ commit, after }) => {
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
    faults.push(`${tests} runs at once; ${active} are allowed.`);
  if ((created.includes('isolate') || created.includes('control')) && causes > room)
    faults.push(`${causes} runs look for causes at once; ${room} are allowed.`);
  return faults;
};

/** Tested together are neighbours of one lane who may be, no more than wanted; whoever is to be alone is alone. */
export const batchesHold: Check = (change) =>
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
    .map((one) => `${attemptKey(one)} is to be tested alone, and is tested in ${names}.`);
  // What was begun together is tested together again, whatever the settings have become.
  if (members.some((one) => hadPlace(before, one))) return faults;
  const { batch } = after.queue.settings;
  const size = activeBatchSize(after.queue);
  if (!batch) faults.push(`${names} are tested together; the queue does not batch.`);
  if (members.length > size) faults.push(`${names} are more than ${size}.`);
  for (const [index, one] of members.entries()) {
    if (one.noBatch) faults.push(`${attemptKey(one)} wants no batch, and is tested in ${names}.`);
    if (isRuledOut(after, one)) faults.push(`${attemptKey(one)} is in ${names} against a rule of the queue.`);
    const ahead = members.slice(0, index);
    if (index > 0 && !ahead.some((other) => doMeet(targetsOf(after, other), targetsOf(after, one))))
      faults.push(`${attemptKey(one)} is in ${names}, of whom none is in its lane.`);
  }
  return faults;
};

const hadPlace = (before: Mirror, { id, attempt }: Submission): boolean => {
  const had = before.submissions.get(id);
  return had?.attempt === attempt && had.place !== null;
};

const isRuledOut = (mirror: Mirror, submission: Submission): boolean => {
  const { mode, batchingRules } = mirror.queue.settings;
  const targets = targetsOf(mirror, submission);
  if (mode === 'single' || targets === 'ALL') return false;
  return batchingRules.some(({ targetPattern }) =>
    targetPattern.endsWith('*')
      ? targets.some((target) => target.startsWith(targetPattern.slice(0, -1)))
      : targets.includes(targetPattern),
  );
};
