import { aCheck, aPullRequest, aQueue, BUILT_AT, effectIdOf, runIdOf, shaOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { lostBefore } from '../../test/engine-world.js';
import { aHost, build, candidate, drop, landing, learns, performing } from '../../test/performer-world.js';
import type { Effect } from '../model/effect.js';
import { type CodeHost, HostError } from '../ports/code-host.js';
import { backoffMs } from './backoff.js';
import { LEASE_MS } from './performer.js';
import { ANSWER_LIMIT_MS } from './timeout.js';

describe('a performed effect', () => {
  test('an effect is settled with the answer of the host, and the decider is notified', async () => {
    const world = await performing([build], aHost());

    expect(await world.pass()).toBe(1);

    expect(await world.learnt()).toMatchObject([
      {
        id: `${effectIdOf(1)}/1`,
        effectId: effectIdOf(1),
        type: 'candidate_built',
        runId: runIdOf(1),
        outcome: { kind: 'built', candidate },
        known: [aCheck()],
        pulls: [],
      },
    ]);
    expect(world.finishedCount()).toBe(1);
    expect(await world.offeredAfter(LEASE_MS * 2)).toBe(0);
    expect(await world.pass()).toBe(0);
  });

  test('the result of an effect is kept while another one of its kind waits', async () => {
    const world = await performing([build, { ...build, id: effectIdOf(9) }], aHost());
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ effectId: build.id }, { effectId: effectIdOf(9) }]);
  });

  test('a candidate that was not built has no known checks', async () => {
    const outcome = { kind: 'head_gone', pr: 1 } as const;

    expect(await learns(build, aHost({ buildCandidate: async () => outcome }))).toMatchObject({
      outcome,
      known: [],
    });
  });

  test('an effect without a result has no facts', async () => {
    expect(await learns(drop)).toBeUndefined();
    expect(await learns({ ...drop, type: 'cancel_checks', commit: shaOf(3) })).toBeUndefined();
  });

  test('a host without startChecks is not called to start checks', async () => {
    const start: Effect = {
      id: effectIdOf(1),
      type: 'start_checks',
      runId: runIdOf(1),
      commit: shaOf(3),
      names: ['a'],
    };

    expect(await learns(start)).toMatchObject({ type: 'checks_started', commit: shaOf(3) });
  });

  test('checks are read in bounded chunks, and a commit without checks has an empty list', async () => {
    const runs = Array.from({ length: 150 }, (_, n) => ({ runId: runIdOf(n), commit: shaOf(n) }));
    const sizes: number[] = [];
    const getChecks: CodeHost['getChecks'] = async (_, commits) => {
      sizes.push(commits.length);
      return new Map([[shaOf(149), [aCheck()]]]);
    };

    const fact = await learns({ id: effectIdOf(1), type: 'read_checks', runs }, aHost({ getChecks }));

    expect(sizes).toEqual([100, 50]);
    expect(fact?.type === 'checks_seen' && fact.seen.map(({ checks }) => checks.length)).toEqual([
      ...Array(149).fill(0),
      1,
    ]);
    expect(fact?.type === 'checks_seen' && fact.seen[3]).toEqual({ ...runs[3], checks: [] });
  });

  test('pull requests get the time of the request, and unknown ones are reported as missing', async () => {
    const world = await performing(
      [{ id: effectIdOf(1), type: 'read_pull_requests', prs: [1, 901] }],
      aHost(),
    );
    await world.clock.advance(7_000);
    world.time.heard(world.clock.now() + 500);
    await world.pass();

    const [fact] = await world.learnt();
    expect(fact).toMatchObject({ type: 'pull_requests_seen', missing: [901] });
    expect(fact?.type === 'pull_requests_seen' && fact.pulls).toEqual([
      aPullRequest(1, { readAt: world.clock.now() + 500 }),
    ]);
  });

  test.each([
    ['where it was', shaOf(1), false, false],
    ['ahead of where it was', shaOf(2), true, false],
    ['moved back', shaOf(2), false, true],
  ] as const)('a target that is %s', async (_, head, contains, rewound) => {
    const host = aHost({
      getBranch: async () => ({ head, requiredChecks: null }),
      contains: async () => contains,
    });
    const fact = await learns(
      { id: effectIdOf(1), type: 'read_branch', branch: 'main', known: shaOf(1) },
      host,
    );

    expect(fact).toMatchObject({
      type: 'branch_seen',
      rewound,
      target: { head, requiredChecks: null, exists: true },
    });
  });

  test('a missing target is reported as such', async () => {
    const fact = await learns(
      { id: effectIdOf(1), type: 'read_branch', branch: 'main', known: shaOf(1) },
      aHost({ getBranch: async () => null }),
    );

    expect(fact).toMatchObject({
      rewound: false,
      target: { head: null, requiredChecks: null, exists: false },
    });
  });
});

describe('a landing', () => {
  test('a landing is requested if no member has changed', async () => {
    expect(await learns(landing)).toMatchObject({
      type: 'land_finished',
      runId: runIdOf(1),
      outcome: { kind: 'landed' },
    });
  });

  test('the outcome of a landing with a changed member is asked for after dropping its candidate', async () => {
    const done: string[] = [];
    const fact = await learns(
      landing,
      aHost({
        getPullRequests: async () => [aPullRequest(1, { draft: true })],
        land: async () => {
          done.push('land');
          return { kind: 'candidate_gone' };
        },
        dropCandidate: async () => void done.push('drop'),
      }),
    );

    const outcome = { kind: 'members_changed', pulls: [{ number: 1 }], missing: [] };
    expect(fact).toMatchObject({ outcome });
    expect(done).toEqual(['drop', 'land']);
  });

  test('a landing of a pull request deleted since has happened if the host confirms it', async () => {
    const landed = { kind: 'landed', head: shaOf(2), tree: 'tree' } as const;
    const host = aHost({ getPullRequests: async () => [], land: async () => landed });

    expect(await learns(landing, host)).toMatchObject({ type: 'land_finished', outcome: landed });
  });
});

describe('a failing effect', () => {
  const failing = (error: unknown) =>
    aHost({ buildCandidate: () => Promise.reject(error), land: () => Promise.reject(error) });

  test('a failed effect is offered again after a growing delay', async () => {
    const world = await performing([build], failing(new Error('?')));
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ type: 'effect_delayed' }]);
    expect(await world.offeredAfter(backoffMs(1) - 1)).toBe(0);
    expect(await world.offeredAfter(1)).toBe(1);
    expect([1, 2, 3, 8, 50].map(backoffMs)).toEqual([500, 1_000, 2_000, 60_000, 60_000]);
  });

  test('a failed effect is delayed as long as the host says', async () => {
    const later = await performing([build], failing(new HostError('slow down', 'later', BUILT_AT + 90_000)));
    await later.pass();

    expect(await later.offeredAfter(89_999)).toBe(0);
    expect(await later.offeredAfter(1)).toBe(1);
  });

  test('a failed effect is delayed as without a time of the host if that time is over, or comes at once', async () => {
    for (const retryAt of [BUILT_AT, BUILT_AT - 3_600_000, BUILT_AT + 1]) {
      const world = await performing([build], failing(new HostError('slow down', 'later', retryAt)));
      await world.pass();

      expect(await world.offeredAfter(backoffMs(1) - 1)).toBe(0);
      expect(await world.offeredAfter(1)).toBe(1);

      await world.clock.advance(1);
      await world.pass();
      expect(await world.offeredAfter(backoffMs(3) - 1)).toBe(0);
      expect(await world.offeredAfter(1)).toBe(1);
    }
  });

  test('a failed effect is delayed by at most a quarter of an hour, whatever instant the host gives', async () => {
    const tomorrow = BUILT_AT + 86_400_000;
    const later = await performing([build], failing(new HostError('slow down', 'later', tomorrow)));
    await later.pass();

    expect(await later.offeredAfter(899_999)).toBe(0);
    expect(await later.offeredAfter(1)).toBe(1);
  });

  test('an effect that fails for good is reported and not offered again', async () => {
    const world = await performing([build], failing(new HostError('no such thing', 'never')));
    await world.pass();

    expect(await world.learnt()).toMatchObject([
      { type: 'effect_failed', effectId: effectIdOf(1), runId: runIdOf(1), message: 'no such thing' },
    ]);
    expect(world.finishedCount()).toBe(1);
    expect(await world.offeredAfter(LEASE_MS * 9)).toBe(0);
  });

  test('a landing is retried forever, since its outcome is unknown', async () => {
    const world = await performing([landing], failing(new HostError('no such thing', 'never')));
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ type: 'effect_delayed' }]);
    expect(await world.offeredAfter(backoffMs(1))).toBe(1);
  });

  test('a cleanup effect is retried for a long time', async () => {
    const dropCandidate = () => Promise.reject(new HostError('forbidden', 'never'));
    const world = await performing([drop], aHost({ dropCandidate }));
    await world.pass();

    expect(await world.learnt()).toEqual([]);
    expect(await world.offeredAfter(backoffMs(1))).toBe(1);
  });

  test('an effect without a configured host is offered again', async () => {
    const world = await performing([build], null);
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ type: 'effect_delayed' }]);
    expect(await world.offeredAfter(backoffMs(1))).toBe(1);
  });

  test('an effect that also fails in the store is offered again when its lease expires', async () => {
    const world = await performing([build], failing(new Error('?')));
    world.next('postpone', lostBefore);
    await world.pass();

    expect(await world.offeredAfter(LEASE_MS - 1)).toBe(0);
    expect(await world.offeredAfter(1)).toBe(1);
  });

  test('an effect whose host never answers uses capacity only until the timeout', async () => {
    const world = await performing([build], aHost({ buildCandidate: () => new Promise(() => undefined) }));
    await world.performer.begin();
    const idle = world.performer.idle();

    await world.clock.advance(ANSWER_LIMIT_MS);
    await idle;

    expect(await world.learnt()).toMatchObject([{ type: 'effect_delayed' }]);
    expect(world.clock.waiting).toBe(0);
  });
});

test('an effect of a newer release is left to others without reporting a failure of the host', async () => {
  const strange = { id: effectIdOf(1), type: 'read_weather' } as unknown as Effect;
  const world = await performing([strange], aHost());
  await world.pass();

  expect(await world.learnt()).toEqual([]);
  expect(await world.offeredAfter(backoffMs(1))).toBe(1);
});

test('a candidate built for a deleted queue is dropped, and nothing else', async () => {
  const droppedWhere = async (deletedAt: number | null) => {
    const dropped: string[] = [];
    const dropCandidate = async ({ runId }: { runId: string }) => void dropped.push(runId);
    const world = await performing([build], aHost({ dropCandidate }));
    world.next('settle', async (real) => {
      await world.rival({ writes: someWrites({ queue: aQueue({ deletedAt }) }) });
      return real();
    });
    await world.pass();
    return dropped;
  };

  expect(await droppedWhere(BUILT_AT)).toEqual([runIdOf(1)]);
  expect(await droppedWhere(null)).toEqual([]);
});

test('dropping the candidate of a deleted queue is retried', async () => {
  const dropped: string[] = [];
  let tries = 0;
  const dropCandidate = async ({ runId }: { runId: string }) => {
    tries += 1;
    if (tries === 1) throw new Error('the connection was lost');
    dropped.push(runId);
  };
  const world = await performing([build], aHost({ dropCandidate }), true);
  await world.pass();
  expect(dropped).toEqual([]);

  await world.clock.advance(backoffMs(1));
  await world.pass();
  expect(dropped).toEqual([runIdOf(1)]);
  expect(await world.offeredAfter(2 * LEASE_MS)).toBe(0);
});

test('dropping the candidate of a deleted queue uses capacity only until the timeout', async () => {
  const world = await performing([build], aHost({ dropCandidate: () => new Promise(() => undefined) }));
  world.next('settle', async (real) => {
    await world.rival({ writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT }) }) });
    return real();
  });
  await world.performer.begin();
  const idle = world.performer.idle();

  await world.clock.advance(ANSWER_LIMIT_MS);

  expect(await Promise.race([idle.then(() => 'idle'), world.clock.idle().then(() => 'held')])).toBe('idle');
});
