import { aCheck, aPullRequest, effectIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aHost, build, candidate, landing, learns, performing } from '../../test/performer-world.js';
import type { Check } from '../model/checks.js';
import type { PullRequest } from '../model/pull-request.js';
import { type CodeHost, HostError } from '../ports/code-host.js';

describe('what the host shows is dated by when it was asked', () => {
  test('the tip of the target is dated by the time of the request', async () => {
    let takesLong = async (): Promise<unknown> => undefined;
    const host = aHost({
      getBranch: async () => {
        await takesLong();
        return { head: shaOf(1), requiredChecks: null };
      },
    });
    const effect = { id: effectIdOf(1), type: 'read_branch', branch: 'main', known: null } as const;
    const world = await performing([effect], host);
    const askedAt = world.time.now();
    takesLong = () => world.clock.advance(3_000);
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ target: { readAt: askedAt } }]);
  });

  test('changed members of a landing are dated by the time of the request, not by the clock of the host', async () => {
    const pulls = [aPullRequest(1, { readAt: 1 })];
    let takesLong = async (): Promise<unknown> => undefined;
    const host = aHost({
      getPullRequests: async () => {
        await takesLong();
        return [aPullRequest(1)];
      },
      land: async () => ({ kind: 'members_changed', pulls, missing: [] }),
    });
    const world = await performing([landing], host);
    const askedAt = world.time.now();
    takesLong = () => world.clock.advance(3_000);
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ outcome: { pulls: [{ number: 1, readAt: askedAt }] } }]);
  });
});

test('a target counts as rewound if its new tip does not contain the known one', async () => {
  const isIn =
    (whole: string, part: string): CodeHost['contains'] =>
    async (_, head, commit) =>
      head === whole && commit === part;
  const effect = { id: effectIdOf(1), type: 'read_branch', branch: 'main', known: shaOf(5) } as const;

  expect(await learns(effect, aHost({ contains: isIn(shaOf(1), shaOf(5)) }))).toMatchObject({
    rewound: false,
  });
  expect(await learns(effect, aHost({ contains: isIn(shaOf(5), shaOf(1)) }))).toMatchObject({
    rewound: true,
  });
});

test('pull requests are read in bounded chunks', async () => {
  const asked: number[] = [];
  const prs = Array.from({ length: 201 }, (_, index) => index + 1);
  const host = aHost({
    getPullRequests: async (_, numbers) => {
      asked.push(numbers.length);
      return numbers.map((number) => aPullRequest(number));
    },
  });

  const fact = await learns({ id: effectIdOf(1), type: 'read_pull_requests', prs }, host);

  expect(asked).toEqual([100, 100, 1]);
  expect(fact?.type === 'pull_requests_seen' && fact.pulls.map(({ number }) => number)).toEqual(prs);
});

describe('what is known of a candidate that was built', () => {
  const ended = (id: string, name: string, conclusion: 'success' | 'failure' = 'success') =>
    aCheck({ id, name, conclusion });
  const showing = (shown: Readonly<Record<string, readonly ReturnType<typeof ended>[]>>) =>
    aHost({
      getChecks: async (_, commits) => new Map(commits.map((commit) => [commit, shown[commit] ?? []])),
    });
  const namesOf = async (effect: typeof build, host: CodeHost) => {
    const fact = await learns(effect, host);
    return fact?.type === 'candidate_built'
      ? [fact.known.map(({ name }) => name), fact.passedOnHead]
      : 'no candidate';
  };
  const [step] = candidate.steps;
  const part = { pr: 1, head: step!.head, title: 'One', body: '' };

  test('known checks of a candidate are the passes of its commit and content, without failures', async () => {
    const host = showing({ [candidate.commit]: [ended('1', 'unit'), ended('2', 'lint', 'failure')] });

    expect(await namesOf({ ...build, parts: [part] } as never, host)).toEqual([['build', 'unit'], []]);
  });

  test('known checks of a baseline run are those of the target itself', async () => {
    expect(await namesOf(build, showing({ [shaOf(1)]: [ended('1', 'unit')] }))).toEqual([
      ['build', 'unit'],
      [],
    ]);
  });

  test('known checks of a candidate are those of earlier tests alone if the host refuses to show those of its commit', async () => {
    const getChecks = () => Promise.reject(new HostError('422', 'never'));

    expect(await namesOf({ ...build, parts: [part] } as never, aHost({ getChecks }))).toEqual([
      ['build'],
      [],
    ]);
  });

  test('checks of the head count only for a candidate that lands directly', async () => {
    const same = { ...candidate, steps: [{ ...step!, headTree: candidate.tree }] };
    const host = (of: typeof candidate) => ({
      ...showing({ [step!.head]: [ended('1', 'unit')], [shaOf(1)]: [ended('2', 'lint')] }),
      buildCandidate: async () => ({ kind: 'built', candidate: of }) as const,
    });
    const direct = { ...build, parts: [part], isDirect: true } as never;

    expect(await namesOf(direct, host(same))).toEqual([['build', 'unit'], ['unit']]);
    expect(await namesOf(direct, host({ ...same, steps: [{ ...step!, headTree: 'behind' }] }))).toEqual([
      ['build'],
      [],
    ]);
    expect(await namesOf({ ...build, parts: [part] } as never, host(same))).toEqual([['build'], []]);
  });

  test('a pull request that cannot be part of the candidate is read again', async () => {
    const outcome = { kind: 'conflicted', pr: 1, with: 'target', paths: [] } as const;
    const pull = aPullRequest(1, { state: 'closed' });
    const host = aHost({ buildCandidate: async () => outcome, getPullRequests: async () => [pull] });

    expect(await learns(build, host)).toMatchObject({ outcome, pulls: [{ number: 1, state: 'closed' }] });
  });

  test('no pull request is read again if the refusal names none', async () => {
    const outcome = { kind: 'refused', class: 'policy', pr: null, message: 'No.' } as const;

    expect(await learns(build, aHost({ buildCandidate: async () => outcome }))).toMatchObject({
      outcome,
      pulls: [],
    });
  });
});

test('the host decides about the landing of a missing pull request, with the candidate in place', async () => {
  const done: string[] = [];
  const host = aHost({
    getPullRequests: async () => [],
    dropCandidate: async () => void done.push('drop'),
    land: async () => {
      done.push('land');
      return { kind: 'base_moved', head: shaOf(7) };
    },
  });

  expect(await learns(landing, host)).toMatchObject({ outcome: { kind: 'base_moved', head: shaOf(7) } });
  expect(done).toEqual(['land']);
});

test('a target moved by the queue itself is not rewound', async () => {
  expect(await learns(landing)).toMatchObject({ outcome: { kind: 'landed' }, rewound: false });
});

test('a target is read with its required checks and their digests', async () => {
  const branch = { head: shaOf(1), requiredChecks: ['build'], digests: { build: 'v1' } };
  const effect = { id: effectIdOf(1), type: 'read_branch', branch: 'main', known: null } as const;

  expect(await learns(effect, aHost({ getBranch: async () => branch }))).toMatchObject({ target: branch });
});

describe('a landing on a target that has moved', () => {
  const moved = (contains: CodeHost['contains']) =>
    aHost({ land: async () => ({ kind: 'base_moved', head: shaOf(7) }), contains });

  test('a landing on a moved target reports whether the target was rewound', async () => {
    expect(
      await learns(
        landing,
        moved(async () => false),
      ),
    ).toMatchObject({ rewound: true });
    const isOn: CodeHost['contains'] = async (_, head, commit) => head === shaOf(7) && commit === shaOf(1);
    expect(await learns(landing, moved(isOn))).toMatchObject({ rewound: false });
  });

  test('a landing on a moved target is reported although the host does not say whether it was rewound', async () => {
    const fails = () => Promise.reject(new Error('unreachable'));

    expect(await learns(landing, moved(fails))).toMatchObject({
      outcome: { kind: 'base_moved' },
      rewound: false,
    });
  });
});

describe('a landing whose member is shown otherwise', () => {
  const merged = aPullRequest(1, { state: 'merged', merged: { branch: 'main', commit: candidate.commit } });
  const outdated = aPullRequest(1, { head: shaOf(66) });
  /** Keeps the candidate, and has landed it or not, whatever its reads show. */
  const landingHost = (shows: PullRequest, hasLanded: boolean) => {
    let isHeld = true;
    let tries = 0;
    const host = aHost({
      getPullRequests: async () => [shows],
      dropCandidate: async () => {
        await Promise.resolve();
        isHeld = false;
      },
      land: async () => {
        tries += 1;
        if (hasLanded) return { kind: 'landed', head: candidate.commit, tree: candidate.tree };
        return isHeld ? Promise.reject(new Error('it would land')) : { kind: 'candidate_gone' };
      },
    });
    return { host, tries: () => tries };
  };

  test.each([merged, outdated])(
    'a landing has happened if the host confirms it, whatever its reads show',
    async (shows) => {
      const { host } = landingHost(shows, true);

      expect(await learns(landing, host)).toMatchObject({
        outcome: { kind: 'landed', head: candidate.commit },
      });
    },
  );

  test.each([
    merged,
    outdated,
    aPullRequest(1, { base: 'next' }),
    aPullRequest(1, { draft: true }),
    aPullRequest(1, { mergeability: 'not_mergeable' }),
  ])(
    'a landing whose member is shown otherwise has not happened if the host says so, and cannot happen later',
    async (shows) => {
      const { host, tries } = landingHost(shows, false);

      expect(await learns(landing, host)).toMatchObject({
        outcome: { kind: 'members_changed', pulls: [{ head: shows.head }], missing: [] },
      });
      expect(tries()).toBe(1);
    },
  );

  test('a refused landing reports only the changed members, with the time of the read', async () => {
    const { host } = landingHost(outdated, false);
    let takesLong = async (): Promise<unknown> => undefined;
    const getPullRequests = async () => {
      await takesLong();
      return [outdated, aPullRequest(2)];
    };
    const two = { pr: 2, head: aPullRequest(2).head, forced: false };
    const both = { ...landing, members: [...landing.members, two] };
    const world = await performing([both], { ...host, getPullRequests });
    const askedAt = world.time.now();
    takesLong = () => world.clock.advance(3_000);
    await world.pass();

    const [fact] = await world.learnt();
    expect(fact?.type === 'land_finished' && fact.outcome).toMatchObject({ kind: 'members_changed' });
    expect(fact?.type === 'land_finished' && 'pulls' in fact.outcome && fact.outcome.pulls).toEqual([
      { ...outdated, readAt: askedAt },
    ]);
  });

  test('a landing has partly happened if the host confirms that', async () => {
    const part = {
      kind: 'partly_landed',
      count: 1,
      head: shaOf(8),
      tree: 'd1',
      cause: 'It was refused.',
    } as const;
    const host = aHost({ getPullRequests: async () => [merged], land: async () => part });

    expect(await learns(landing, host)).toMatchObject({ outcome: part });
  });
});

test('a landing is refused if a check that it rests on is shown as running again', async () => {
  const passed = aCheck({ id: '1', name: 'build', runId: landing.runId, startedAt: 1 });
  const again = { ...passed, id: '2', startedAt: 2, status: 'running', conclusion: null } as const;
  const proof = {
    runId: landing.runId,
    commit: candidate.commit,
    since: 0,
    required: ['build'],
    digests: {},
    known: [],
    checks: [passed],
    others: [],
  };
  const landed = { kind: 'landed', head: candidate.commit, tree: candidate.tree } as const;
  const hostShowing = (shown: readonly Check[]): CodeHost => {
    let isHeld = true;
    return aHost({
      getChecks: async () => new Map([[candidate.commit, shown]]),
      dropCandidate: async () => {
        await Promise.resolve();
        isHeld = false;
      },
      land: async () => (isHeld ? landed : { kind: 'candidate_gone' }),
    });
  };
  const resting = { ...landing, proofs: [proof] };

  expect(await learns(resting, hostShowing([passed]))).toMatchObject({ outcome: landed });
  expect(await learns(resting, hostShowing([passed, again]))).toMatchObject({
    outcome: { kind: 'checks_changed' },
  });
});
