import { aPullRequest, aRepo, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aHost, candidate, landing, learns, performing } from '../../test/performer-world.js';
import type { LandOutcome } from '../model/outcomes.js';
import { type CodeHost, HostError, type LandRequest } from '../ports/code-host.js';
import { backoffMs } from './backoff.js';
import { tryLanding } from './try-landing.js';

const never = new HostError('422: this pull request cannot be merged', 'never');
const gone: LandOutcome = { kind: 'candidate_gone' };

/** Answers landings with "never" while it keeps the candidate, and with `afterwards` once it is dropped. */
const refusing = (afterwards: () => Promise<LandOutcome>, override: Partial<CodeHost> = {}) => {
  const calls: string[] = [];
  let isHeld = true;
  const host = aHost({
    dropCandidate: async () => {
      calls.push('drop');
      await Promise.resolve();
      isHeld = false;
    },
    land: () => {
      calls.push('land');
      return isHeld ? Promise.reject(never) : afterwards();
    },
    ...override,
  });
  return { host, calls };
};

describe('a landing that the host answers with "never"', () => {
  test('a landing that the host answers with "never" is refused for its only pull request, with the words of the host', async () => {
    const { host, calls } = refusing(async () => gone);

    expect(await learns(landing, host)).toMatchObject({
      type: 'land_finished',
      outcome: { kind: 'refused', class: 'wait', pr: 1, message: never.message },
    });
    expect(calls).toEqual(['land', 'drop', 'land']);
  });

  test('a landing that the host answers with "never" is no landing without an answer', async () => {
    const { host } = refusing(async () => gone);

    expect(await learns(landing, host)).not.toHaveProperty('outcome.isUnanswered');
  });

  test('a landing that the host answers with "never" is refused for no pull request in particular if it has several', async () => {
    const { host } = refusing(async () => gone);
    const two = { pr: 2, head: aPullRequest(2).head, forced: false };

    expect(await learns({ ...landing, members: [...landing.members, two] }, host)).toMatchObject({
      outcome: { kind: 'refused', class: 'wait', pr: null, message: never.message },
    });
  });

  test.each<LandOutcome>([
    { kind: 'landed', head: candidate.commit, tree: candidate.tree },
    { kind: 'partly_landed', count: 1, head: shaOf(8), tree: 'd1', cause: 'It was refused.' },
    { kind: 'base_moved', head: shaOf(7) },
  ])(
    'a landing that the host answers with "never" ends as the host reports it afterwards: %j',
    async (outcome) => {
      const { host } = refusing(async () => outcome);

      expect(await learns(landing, host)).toMatchObject({ type: 'land_finished', outcome });
    },
  );

  test('a landing that the host answers with "never" reports changed members with the time of the read', async () => {
    const pulls = [aPullRequest(1, { readAt: 1 })];
    const { host } = refusing(async () => ({ kind: 'members_changed', pulls, missing: [] }));
    const world = await performing([landing], host);
    const askedAt = world.time.now();
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ outcome: { pulls: [{ number: 1, readAt: askedAt }] } }]);
  });

  test.each([
    ['the host does not say afterwards what happened', {}],
    ['its candidate cannot be dropped', { dropCandidate: () => Promise.reject(never) }],
  ])('a landing that the host answers with "never" is retried if %s', async (_, override) => {
    const { host } = refusing(() => Promise.reject(never), override);
    const world = await performing([landing], host);
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ type: 'effect_delayed' }]);
    expect(await world.offeredAfter(backoffMs(1))).toBe(1);
  });

  test.each([
    ['access', new HostError('Bad credentials', 'never', null, { reach: 'access' })],
    ['repository', new HostError('Not Found', 'never', null, { reach: 'repository' })],
    [undefined, new HostError('busy', 'later')],
    [undefined, new Error('connection lost')],
  ])(
    'a landing keeps its candidate after an error that says nothing about it (%s: %s)',
    async (reach, error) => {
      const { host, calls } = refusing(async () => gone, { land: () => Promise.reject(error) });
      const world = await performing([landing], host);
      await world.pass();

      const [fact] = await world.learnt();
      expect(fact).toMatchObject({ type: 'effect_delayed', message: error.message });
      expect(fact?.type === 'effect_delayed' && fact.reach).toBe(reach);
      expect(calls).toEqual([]);
    },
  );
});

describe('a landing that the host answers with an error that may pass', () => {
  const busy = new HostError('500: internal error', 'later');
  const after = (error: HostError, tries: number) => {
    const { host, calls } = refusing(async () => gone, {});
    const request = { ...landing, repo: aRepo };
    const land = (asked: LandRequest) => (calls.includes('drop') ? host.land(asked) : Promise.reject(error));
    return { calls, outcome: tryLanding({ host: { ...host, land }, request, tries }, () => land(request)) };
  };

  test('a landing that the host answers with an error that may pass is unknown for several tries, and then refused if it did not happen', async () => {
    await expect(after(busy, 7).outcome).rejects.toBe(busy);

    const { calls, outcome } = after(busy, 8);
    expect(await outcome).toMatchObject({
      ...{ kind: 'refused', class: 'wait', pr: 1, message: busy.message },
      isUnanswered: true,
    });
    expect(calls).toEqual(['drop', 'land']);
  });

  test('a landing that the host answers with an error that may pass stays unknown while the host names a time for the retry', async () => {
    const limited = new HostError('429: rate limit', 'later', 5_000);
    const { calls, outcome } = after(limited, 20);

    await expect(outcome).rejects.toBe(limited);
    expect(calls).toEqual([]);
  });
});
