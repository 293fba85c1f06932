import { HostError, type LandOutcome, type LandRequest } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';

const story = stories(afterEach);

const wait = (message: string, pr: number | null = null) => ({ class: 'wait', pr, message }) as const;

/** Three lanes that have passed in a paused queue. */
const inLanes = async () => {
  const q = await story({ mode: 'parallel', concurrency: 3 });
  for (const [pr, target] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ] as const)
    await q.touches(pr, [target]);
  await q.submit(1, 2, 3);
  await q.pauses();
  for (const content of ['main+1', 'main+2', 'main+3']) await q.passes(content);
  return q;
};

const unacceptable = new HostError('422: this pull request cannot be merged', 'never');

/** The host fails each landing of this pull request with this error, and with none once the candidate is dropped. */
const neverLands = ({ world: { repository } }: Story, pr: number, error = unacceptable): void => {
  const land = repository.land.bind(repository);
  vi.spyOn(repository, 'land').mockImplementation((request) => {
    const isHeld = repository.candidates.has(request.runId);
    if (isHeld && request.members.some((member) => member.pr === pr)) throw error;
    return land(request);
  });
};

describe('a landing that the host answers with "wait"', () => {
  test('a landing that the host answers with "wait" is tried at least 12 times and for an hour, and then fails with the words of the host', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.refusesLandings(wait('its own checks are running', 1));
    await q.passes('main+1');
    await q.after('59m');
    q.isIn({ 1: 'tests_passed' });

    await q.after('30m');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
    q.explains(1, /its own checks are running/);
    expect(q.world.asked.get('land')).toBeGreaterThanOrEqual(12);
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" stops all landings with an alarm if the next pull request gets the same message, and no other fails', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2, 3);
    await q.refusesLandings(wait('try again in 30 s'));
    await q.passes('main+1');
    await q.after('90m');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');

    await q.refusesLandings(wait('try again in 45 s'));
    await q.passes('main+2');
    q.hasOnRecord(/Landings are on hold: the code host refused #1 and then #2 with the same message/);
    const before = q.world.asked.get('land') ?? 0;
    await q.after('5h');
    q.queueIs('running');
    q.isIn({ 2: 'tests_passed' });
    expect((q.world.asked.get('land') ?? 0) - before).toBeLessThanOrEqual(31);

    await q.refusesLandings(null);
    await q.after('10m');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" is repeated for each member alone if it was a batch', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.refusesLandings(wait('not yet'));
    await q.passes('main+1+2');
    await q.after('2h');

    q.isTesting('main+1');
    q.isIn({ 1: 'testing', 2: 'pending' });
    await q.refusesLandings(null);
    await q.passes('main+1');
    q.hasLanded('main+1+2');
  });

  test('a landing that the host answers with "wait" is counted separately for the next pull request if its message differs', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.refusesLandings(wait('not yet'));
    await q.passes('main+1');
    await q.after('90m');
    await q.refusesLandings(wait('busy'));
    await q.passes('main+2');
    await q.after('90m');

    q.hasReason(2, 'GITHUB_API_MERGE_PR_FAILED');
  });

  test('a landing that the host answers with "wait" fails one pull request of three lanes that are refused at once with the same message', async () => {
    const q = await inLanes();
    await q.refusesLandings(wait('busy'));
    await q.resumes();
    await q.after('3h');
    q.isIn({ 1: 'failed', 2: 'tests_passed', 3: 'tests_passed' });

    await q.refusesLandings(null);
    await q.after('10m');
    q.hasLanded('main+2+3');
  });

  test('a landing that the host answers with "wait" lands the other lanes if the host names one of them', async () => {
    const q = await inLanes();
    await q.refusesLandings(wait('not approved', 2));
    await q.resumes();
    await q.after('3m');
    q.isIn({ 1: 'merged', 2: 'tests_passed', 3: 'merged' });
    q.explains(2, /wait before merging #2: not approved/);
  });

  test('a landing that the host answers with "wait" does not take place after a cancel between two tries', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.passes('main+1+2');
    await q.refusesLandings(wait('busy', 1));
    await q.passes('main+1');
    await q.cancel(1);
    await q.refusesLandings(null);
    await q.after('20m');
    q.isIn({ 1: 'cancelled' });
    q.isTesting('main+2');
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" is counted afresh once another landing has succeeded', async () => {
    const q = await story();
    await q.submit(1, 2, 3);
    await q.refusesLandings(wait('busy'));
    await q.passes('main+1');
    await q.after('90m');
    q.isIn({ 1: 'failed' });
    await q.refusesLandings(null);
    await q.passes('main+2');
    await q.refusesLandings(wait('busy'));
    await q.passes('main+2+3');
    await q.after('5m');
    expect(q.world.seen.history.filter(({ type }) => type === 'alarm')).toEqual([]);
    q.explains(3, /wait before merging #3: busy|wait before merging anything on main: busy/);
  });

  test('a landing that the host answers with "wait" is tried 12 times also if the clock jumps by 6 h', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings(wait('busy', 1));
    await q.passes('main+1');
    await q.after('20m');
    await q.isDownFor('6h');
    expect(q.world.asked.get('land')).toBeLessThan(12);
    q.isIn({ 1: 'tests_passed' });
  });

  test('a landing that the host answers with "wait" for a pull request outside it ends as one for which it names none', async () => {
    const q = await story({ concurrency: 2 });
    const { repository } = q.world;
    await q.submit(1, 2);
    const spy = vi.spyOn(repository, 'land').mockImplementation(({ runId }) => {
      repository.candidates.delete(runId);
      return { kind: 'refused', class: 'wait', pr: 77, message: 'its own checks are running' };
    });
    await q.passes('main+1');
    await q.after('90m');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
    q.explains(1, /its own checks are running/);
    expect(q.world.asked.get('land')).toBeLessThanOrEqual(20);

    spy.mockRestore();
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" fails its pull request again if it was submitted again, and the next one lands', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings(wait('its own checks are running', 1));
    await q.passes('main+1');
    await q.after('90m');
    await q.submit(1, 2);
    await q.after('30m');
    q.isIn({ 1: 'tests_passed' });
    await q.after('2h');
    q.isIn({ 1: 'failed' });
    expect(q.world.seen.history.filter(({ type }) => type === 'alarm')).toEqual([]);

    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" for a pull request that was submitted again lets another lane land', async () => {
    const q = await story({ mode: 'parallel', concurrency: 3 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1);
    await q.refusesLandings(wait('its own checks are running', 1));
    await q.passes('main+1');
    await q.after('90m');
    await q.submit(1, 2);
    await q.after('1m');
    await q.passes('main+2');
    await q.after('2h');
    q.isIn({ 1: 'failed', 2: 'merged' });
  });

  test('a landing that the host answers with "wait" does not count for a member of a batch that is then tested alone', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.refusesLandings(wait('#2 has an open discussion'));
    await q.passes('main+1+2');
    await q.after('2h');
    q.isTesting('main+1');
    await q.refusesLandings(wait('busy'));
    await q.passes('main+1');
    await q.after('1m');
    q.isIn({ 1: 'tests_passed' });
    await q.after('4h');
    q.isIn({ 1: 'failed' });
  });

  test('a landing that the host answers with "wait" does not count for the next test run of its pull request', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings(wait('checks of the branch are running', 1));
    await q.passes('main+1');
    await q.after('63m');
    await q.pushesToTarget();
    await q.refusesLandings(null);
    await q.after('4h');
    await q.refusesLandings(wait('busy'));
    await q.passes('main+push+1');
    await q.after('1m');
    q.isIn({ 1: 'tests_passed' });
    await q.after('90m');
    q.isIn({ 1: 'failed' });
  });

  test('a landing that the host answers with "wait" for several lanes does not count for the first one when it lands alone', async () => {
    const q = await inLanes();
    await q.refusesLandings(wait('#3 has open discussions'));
    await q.resumes();
    for (let minutes = 0; minutes < 120 && q.world.seen.queue?.queue.landsSingly !== true; minutes += 1)
      await q.after('1m');
    await q.refusesLandings(wait('busy'));
    await q.after('11m');
    q.isIn({ 1: 'tests_passed' });
    await q.refusesLandings(null);
    await q.after('10m');
    q.hasLanded('main+1+2+3');
  });

  test('a landing that the host answers with "wait" for one pull request and for all by turns fails that one', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2);
    await q.pauses();
    for (const content of ['main+1', 'main+1+2']) await q.passes(content);
    const { repository } = q.world;
    const land = repository.land.bind(repository);
    vi.spyOn(repository, 'land').mockImplementation((request) => {
      const isNamed = repository.landingRefusal?.pr === 1;
      repository.landingRefusal = isNamed ? wait('busy') : wait('not approved', 1);
      return land(request);
    });
    await q.resumes();
    await q.after('8h');
    q.isIn({ 1: 'failed' });
  });
});

describe('a landing that the host answers with "never"', () => {
  const inTwoLanes = async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    neverLands(q, 1);
    return q;
  };

  test('a landing that the host answers with "never" does not stop another lane, and its pull request fails with the words of the host', async () => {
    const q = await inTwoLanes();
    await q.passes('main+1');
    await q.passes('main+2');
    await q.after('2m');
    q.isIn({ 1: 'tests_passed', 2: 'merged' });
    q.explains(1, /422: this pull request cannot be merged/);

    await q.after('90m');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
    q.explains(1, /422: this pull request cannot be merged/);
    expect(q.world.asked.get('land')).toBeLessThanOrEqual(40);
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "never" for a combined candidate fails only the pull request that it is about', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.pauses();
    for (const content of ['main+1', 'main+2']) await q.passes(content);
    neverLands(q, 1);
    await q.resumes();
    await q.after('3h');
    q.isIn({ 1: 'failed', 2: 'merged' });
  });

  test('a landing that the host answers with "never" is put off, so that a cancel ends it', async () => {
    const q = await inTwoLanes();
    await q.passes('main+1');
    await q.cancel(1);
    q.isIn({ 1: 'cancelled' });
  });

  test.each(['dropCandidate', 'commit'])(
    'a landing that the host answers with "never" ends also if the answer to %s is lost',
    async (method) => {
      const q = await inTwoLanes();
      await q.passes('main+2');
      q.hasLanded('main+2');
      q.world.beforeCall.set('dropCandidate', () => q.world.faults.set(method, 'fails_after'));
      await q.passes('main+1');
      await q.after('2h');
      q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
      q.hasLanded('main+2');
    },
  );

  test('a landing that the host answers with "never" although it has taken place counts as landed', async () => {
    const q = await story();
    const { repository } = q.world;
    await q.submit(1);
    const land = repository.land.bind(repository);
    vi.spyOn(repository, 'land').mockImplementationOnce((request) => {
      land(request);
      throw new HostError('405: already merged', 'never');
    });
    await q.passes('main+1');
    q.hasLanded('main+1');
    q.isIn({ 1: 'merged' });
  });

  test('a landing that the host answers with "never" takes place once a person has changed what the host objects to', async () => {
    const q = await inTwoLanes();
    await q.passes('main+1');
    await q.after('30m');
    vi.restoreAllMocks();
    await q.after('10m');
    q.hasLanded('main+1');
  });
});

describe('a landing that never takes place without a refusal', () => {
  /** Answers each landing of these pull requests like this, and removes the candidate. */
  const answersLandings = (
    q: Story,
    prs: readonly number[],
    answer: (request: LandRequest) => LandOutcome,
  ) => {
    const { repository } = q.world;
    const land = repository.land.bind(repository);
    vi.spyOn(repository, 'land').mockImplementation((request) => {
      if (!request.members.some(({ pr }) => prs.includes(pr))) return land(request);
      repository.candidates.delete(request.runId);
      return answer(request);
    });
  };
  const answers = {
    members_changed: () => ({ kind: 'members_changed', pulls: [], missing: [1] }),
    candidate_gone: () => ({ kind: 'candidate_gone' }),
    base_moved: ({ onto }) => ({ kind: 'base_moved', head: onto }),
  } as const satisfies Record<string, (request: LandRequest) => LandOutcome>;

  test.each([
    ['members_changed', /reported a change, and then showed none/],
    ['candidate_gone', /no longer has the candidate/],
    ['base_moved', /reported that main had moved, and then showed it where it was/],
  ] as const)(
    'a landing that the host answers with %s although nothing has changed fails its pull request after its tries',
    async (kind, words) => {
      const q = await story();
      answersLandings(q, [1], answers[kind]);
      await q.submit(1, 2);
      await q.passes('main+1');
      await q.after('59m');
      q.isIn({ 1: 'tests_passed' });
      q.explains(1, words);
      await q.after('40m');
      q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
      q.explains(1, words);
      await q.passes('main+2');
      q.hasLanded('main+2');
    },
  );

  test('a landing that the host answers with candidate_gone for every pull request fails one of them and holds the queue', async () => {
    const q = await story();
    answersLandings(q, [1, 2, 3], answers.candidate_gone);
    await q.submit(1, 2, 3);
    await q.passes('main+1');
    await q.after('2h');
    await q.passes('main+2');
    await q.after('4h');
    q.isIn({ 1: 'failed', 2: 'tests_passed', 3: 'testing' });
    q.hasOnRecord(/Landings are on hold/);
  });

  test('a landing that fails at the host with an error each time lets another lane land, and fails its pull request after its tries', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    neverLands(q, 1, new HostError('500: error', 'later'));
    await q.passes('main+1');
    await q.passes('main+2');
    await q.after('30m');
    q.isIn({ 1: 'tests_passed', 2: 'merged' });
    q.explains(1, /500: error/);
    await q.after('3h');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
  });
});
