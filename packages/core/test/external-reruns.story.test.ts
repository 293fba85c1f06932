// A check that is reported from outside is run again after it has passed, while its pull request is about to land.
import { HostError, type LandOutcome } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { expectedOf, externalStory, refusalOf, reporting, unit } from './external.js';

const story = stories(afterEach);
const underTest = externalStory(story);

const success = { status: 'completed', conclusion: 'success' } as const;
const failure = { status: 'completed', conclusion: 'failure' } as const;

/** #1 has passed in a paused queue. */
const passed = async () => {
  const { q, first } = await underTest();
  const report = reporting(q, first);
  await q.pauses();
  await report(success);
  q.isIn({ 1: 'tests_passed' });
  await q.after('1m');
  const { repo } = q.world.ref;
  const again = { testRunId: first.testRunId, check: 'unit', status: 'running' } as const;
  const begins = () => q.world.mq.reportCheck({ repo, reporter: 'jenkins', ...again });
  return { q, report, begins };
};

/** Its reporter runs the check again after the decision to land #1, and before the checks are read. */
const runAgainBeforeLanding = async () => {
  const { q, report, begins } = await passed();
  const rerun = new Promise((resolve) => {
    q.world.beforeCall.set('getPullRequests', () => resolve(begins()));
  });
  await q.resumes();
  await rerun;
  return { q, report };
};

/** The next landing does not happen, and takes the candidate away. */
const missesLanding = ({ world: { repository } }: Story, land: () => LandOutcome): void => {
  const usual = repository.land.bind(repository);
  let isMissed = false;
  vi.spyOn(repository, 'land').mockImplementation((request) => {
    if (isMissed && repository.candidates.has(request.runId)) return usual(request);
    isMissed = true;
    return repository.candidates.has(request.runId) ? land() : { kind: 'candidate_gone' };
  });
};

describe('a check that is reported from outside and runs again right before its pull request lands', () => {
  test('a check that is reported from outside and runs again right before its pull request lands is waited for', async () => {
    const { q, report } = await runAgainBeforeLanding();
    q.isIn({ 1: 'testing' });
    q.waitsFor(1, 'check_run_again');
    await report(success);
    q.isIn({ 1: 'merged' });
  });

  test('a check that is reported from outside and runs again right before its pull request lands fails it with a failure', async () => {
    const { q, report } = await runAgainBeforeLanding();
    await report(failure);
    await reporting(q, (await expectedOf(q)).first)(success);
    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
  });
});

describe('a passed check that is reported from outside', () => {
  test.each<[string, () => LandOutcome]>([
    ['is answered with "wait"', () => ({ kind: 'refused', class: 'wait', pr: 1, message: 'Not now.' })],
    [
      'is answered with "never"',
      () => {
        throw new HostError('422: this pull request cannot be merged', 'never');
      },
    ],
  ])(
    'a passed check that is reported from outside may run again after a landing that %s',
    async (_, land) => {
      const { q, report } = await passed();
      missesLanding(q, land);
      await q.resumes();
      q.isIn({ 1: 'tests_passed' });
      await report({ status: 'running' });
      q.isIn({ 1: 'testing' });
      await report(success);
      await q.after('10m');
      q.isIn({ 1: 'merged' });
    },
  );

  test('a passed check that is reported from outside may run again although another check was cancelled as no longer needed', async () => {
    const lint = { ...unit, name: 'lint' };
    const { q, first } = await underTest({}, { sources: [unit, lint] });
    const report = reporting(q, first);
    await q.pauses();
    await report({ ...success, check: 'unit' });
    await q.configures({ requiredStatuses: ['unit'] });
    q.isIn({ 1: 'tests_passed' });

    expect(await refusalOf(report({ check: 'lint' }))).toBe('TEST_RUN_CLOSED');
    await report({ check: 'unit', status: 'running' });
    q.isIn({ 1: 'testing' });
    await report({ ...failure, check: 'unit' });
    q.isIn({ 1: 'pending_failure' });
  });
});
