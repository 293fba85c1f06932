import type { QueueChange, QueueSettings, Sha, WantedStatus } from '@mq/core';
import type { MemoryStore } from '@mq/store-memory';
import type { FakeCheck } from '../fake-host/fake-ci.js';
import { gatherEvidence } from '../global-check/evidence.js';
import { globalCheck } from '../global-check/global-check.js';
import type {
  CiVerbs,
  Content,
  Driver,
  HostVerbs,
  PeopleVerbs,
  QueueVerbs,
  SubmitOptions,
} from '../scenarios/driver.js';
import type { QueueWorld } from './queue-world.js';
import type { QueueSeat } from './snapshot.js';
import type { StoryWorld } from './world.js';

export const peopleVerbs = (world: StoryWorld): PeopleVerbs => {
  const { repository, ref } = world;
  const onPull = (pr: number, act: () => unknown): Promise<void> =>
    world.act(() => {
      world.open(pr);
      act();
    });
  let lastTarget: Sha | null = null;
  return {
    opens: (...pulls) =>
      world.act(() => {
        for (const pull of pulls) {
          const wanted = typeof pull === 'number' ? { number: pull } : pull;
          world.knows(repository.openPullRequest(wanted));
        }
      }),
    pushes: (pr, edits) => onPull(pr, () => repository.push(pr, edits)),
    closes: (pr) => onPull(pr, () => repository.edit(pr, { state: 'closed' })),
    reopens: (pr) => onPull(pr, () => repository.edit(pr, { state: 'open' })),
    drafts: (pr) => onPull(pr, () => repository.edit(pr, { draft: true })),
    marksReady: (pr) => onPull(pr, () => repository.edit(pr, { draft: false })),
    retargets: (pr, base) =>
      onPull(pr, () => {
        if (!repository.branches.has(base)) repository.createBranch(base, ref.targetBranch);
        repository.edit(pr, { base });
      }),
    edits: (pr, part) => onPull(pr, () => repository.edit(pr, part)),
    deletesPullRequest: (pr) => onPull(pr, () => repository.deletePullRequest(pr)),
    deletesHeadBranch: (pr) => onPull(pr, () => repository.deleteHeadBranch(pr)),
    mergesByHand: (pr, method) =>
      onPull(pr, () => {
        repository.mergeByHand(pr, method);
        world.showTipGreen();
      }),
    pushesToTarget: (edits) =>
      world.act(() => {
        repository.pushTo(ref.targetBranch, edits);
        world.showTipGreen();
      }),
    rewinds: (commits) =>
      world.act(() => {
        repository.rewind(ref.targetBranch, commits);
      }),
    deletesTarget: () =>
      world.act(() => {
        lastTarget = repository.branches.get(ref.targetBranch) ?? null;
        repository.deleteBranch(ref.targetBranch);
      }),
    restoresTarget: () =>
      world.act(() => {
        if (lastTarget !== null) repository.restoreBranch(ref.targetBranch, lastTarget);
      }),
  };
};

/** A head that no pull request has. */
export const ANOTHER_HEAD = 'a'.repeat(40) as Sha;

export const queueVerbs = (world: QueueSeat): QueueVerbs => {
  const { ref } = world;
  const setsWanted = (wanted: WantedStatus, stateReason?: string): Promise<void> =>
    world.act(async () => {
      await world.mq.updateQueue({
        ...ref,
        state: wanted,
        ...(stateReason === undefined ? {} : { stateReason }),
      });
    });
  return {
    createsQueue: (settings = {}) =>
      world.act(async () => {
        await world.mq.createQueue({ ...ref, ...changeTo(settings) });
      }),
    deletesQueue: () => world.act(() => world.mq.deleteQueue(ref)),
    submit: (...asked) =>
      world.act(async () => {
        const options = Object.assign({}, ...asked.filter((one) => typeof one !== 'number')) as SubmitOptions;
        for (const pr of asked.filter((one) => typeof one === 'number')) {
          await world.open(pr);
          await submitOne(world, pr, options);
        }
      }),
    cancel: (pr) =>
      world.act(async () => {
        await world.mq.cancel({ ...ref, pr });
      }),
    restart: (pr) =>
      world.act(async () => {
        await world.mq.restartTests({ ...ref, pr });
      }),
    touches: (pr, impactedTargets, { source = 'trusted', head: meant = 'present' } = {}) =>
      world.act(async () => {
        await world.open(pr);
        const head = meant === 'another' ? ANOTHER_HEAD : await world.headOf(pr);
        if (head === undefined) throw world.error(`#${pr} has no head.`);
        await world.mq.setImpactedTargets({ ...ref, pr, sha: head, impactedTargets, source });
      }),
    pauses: (reason) => setsWanted('paused', reason),
    resumes: () => setsWanted('running'),
    drains: () => setsWanted('draining'),
    configures: (settings) =>
      world.act(async () => {
        await world.mq.updateQueue({ ...ref, ...changeTo(settings) });
      }),
  };
};

/** An empty list of checks in a story means that none is required. */
const changeTo = (settings: Partial<QueueSettings>): QueueChange => ({
  ...settings,
  ...(settings.requiredStatuses?.length === 0 ? { allowNoRequiredStatuses: true } : {}),
});

const submitOne = async (world: QueueSeat, pr: number, options: SubmitOptions): Promise<void> => {
  const { head, ...rest } = options;
  const present = await world.headOf(pr);
  const meant = head === 'stale' ? ANOTHER_HEAD : present;
  await world.mq.submit({
    ...world.ref,
    pr,
    ...rest,
    ...(head === undefined || meant === undefined ? {} : { sha: meant }),
  });
};

type CiSeat = QueueSeat & Pick<StoryWorld, 'repository' | 'hasRun'>;

/** Verbs that only stories in memory have. */
export interface StoryCiVerbs {
  /** Reruns ended checks of this content: the named one, or all. They run until a verb ends them. */
  reruns(content: Content, check?: string): Promise<void>;
}

export const ciVerbs = (world: CiSeat): CiVerbs & StoryCiVerbs => {
  const { ci } = world.repository;
  const each = (
    content: Content,
    isMeant: (check: FakeCheck) => boolean,
    change: (commit: Sha) => number,
  ): number => {
    const meant = ci
      .checks()
      .filter((one) => world.hasRun(one.runId) && isMeant(one) && world.contentOf(one.commit) === content);
    return [...new Set(meant.map(({ commit }) => commit))].reduce(
      (count, commit) => count + change(commit),
      0,
    );
  };
  const end = (content: Content, finish: (commit: Sha) => number): Promise<void> =>
    world.act(() => {
      if (each(content, ({ status }) => status !== 'completed', finish) === 0)
        throw world.error(`No check of ${content} is running.`);
    });
  const commitOf = (content: Content): Sha => {
    const known = [...ci.checks().map(({ commit }) => commit), ...world.repository.branches.values()];
    const commit = known.findLast((one) => world.contentOf(one) === content);
    if (commit === undefined) throw world.error(`There is no commit of ${content}.`);
    return commit;
  };
  return {
    passes: (content, check) => end(content, (commit) => ci.finish(commit, check, 'success')),
    fails: (content, check) => end(content, (commit) => ci.finish(commit, check, 'failure')),
    finishes: (content) => end(content, (commit) => ci.finish(commit)),
    concludes: (content, conclusion, check) => end(content, (commit) => ci.finish(commit, check, conclusion)),
    reruns: (content, check) =>
      world.act(() => {
        if (
          each(
            content,
            ({ status }) => status === 'completed',
            (commit) => ci.rerun(commit, check),
          ) === 0
        )
          throw world.error(`No check of ${content} has ended.`);
      }),
    reports: (content, name, conclusion) =>
      world.act(() => {
        ci.report(commitOf(content), { name, conclusion });
      }),
    showsHead: (pr, conclusion) =>
      world.act(() => {
        world.open(pr);
        const { repository } = world;
        const shown = repository.checkNames.map((name) => [name, conclusion] as const);
        repository.reportHeadChecks(pr, Object.fromEntries(shown));
      }),
  };
};

type ByInterception = 'losesAnswer' | 'beforeLanding';

export const hostVerbs = (world: StoryWorld): Omit<HostVerbs, ByInterception> => {
  const { repository, host, ref } = world;
  return {
    saysMergeability: (pr, mergeability) =>
      world.act(() => {
        world.open(pr);
        repository.edit(pr, { mergeability });
      }),
    requires: (checks) =>
      world.act(() => {
        repository.setRequiredChecks(ref.targetBranch, checks);
      }),
    lagsBehind: async () => world.lagBehind(),
    catchesUp: () => world.act(() => world.catchUp()),
    goesDown: () => world.act(() => host.setReachable(false)),
    comesBack: () => world.act(() => host.setReachable(true)),
    refusesLandings: (refusal) =>
      world.act(() => {
        repository.landingRefusal = refusal;
      }),
    stopsLandingAfter: async (members) => {
      repository.landsOnly = members;
    },
    rewritesLandings: async () => {
      repository.rewritesLandings = true;
    },
    startsChecks: async (by) => {
      repository.ci.startsBy = by;
    },
    cancelsChecks: async (can) => {
      repository.ci.canCancel = can;
    },
  };
};

type WorldVerbs = Pick<
  Driver,
  'after' | 'unseen' | 'hearsNonsense' | 'isDownFor' | 'crashes' | 'isSound' | 'isRefused' | 'ends'
>;

/** Verbs about time, crashes, lost calls and the end of the story. */
export const worldVerbs = (world: QueueWorld): WorldVerbs & Pick<HostVerbs, ByInterception> => ({
  losesAnswer: async (call, fault) => {
    world.faults.set(call, fault);
  },
  beforeLanding: async (act) => {
    world.beforeLanding = act;
  },
  after: (duration) => world.pass(duration),
  unseen: (act) => world.unseen(act),
  hearsNonsense: () => world.act(() => world.hearNonsense()),
  isDownFor: (duration) => world.downFor(duration),
  crashes: () => world.crash(),
  isSound: async () => {
    const faults = await faultsOf(world);
    if (faults.length > 0) throw world.error(`The global check found faults:\n${listed(faults)}`);
  },
  isRefused: (code, verb) => isRefused(world, code, verb),
  ends: () => end(world),
});

const isRefused = async (world: QueueWorld, code: string, verb: () => Promise<void>): Promise<void> => {
  const error: unknown = await verb().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) throw world.error(`Expected ${code}, but the command was accepted.`);
  if (!(error instanceof Error) || !('code' in error)) throw error;
  if (error.code !== code) throw world.error(`Expected ${code}, found ${error.code}: ${error.message}`);
};

export const faultsOf = async (world: QueueSeat): Promise<readonly string[]> => {
  const { mq, store, queue } = world;
  if (queue === null) return [];
  const former = [...world.queueIds].filter((id) => id !== queue.id);
  return globalCheck(
    await gatherEvidence({ mq, store, queue, host: world.evidence(), former, said: world.said.lines }),
  );
};

const end = async (world: QueueWorld): Promise<void> => {
  world.stopHearing();
  await world.settle();
  const faults = [...(await faultsOf(world))];
  for (const beside of world.besides) faults.push(...(await beside.faults()));
  const { store, engines } = world;
  for (const { effect, owner, token } of effectsIn(store.dump?.()))
    if (token !== null) faults.push(`The effect ${effect.type} is leased by ${owner} and was never settled.`);
  for (const call of world.faults.keys()) faults.push(`A fault was set for ${call}, which was never called.`);
  if (world.beforeLanding !== null) faults.push('beforeLanding was set, but nothing landed.');
  for (const engine of engines) await engine.close();
  if (world.clock.waiting > 0) faults.push(`${world.clock.waiting} waits on the clock have not ended.`);
  if (faults.length > 0) throw world.error(`The story ends with faults:\n${listed(faults)}`);
};

type StoredEffect = ReturnType<MemoryStore['dump']>['effects'][number];

/** The effects in the dump of a memory store; none for any other dump. */
const effectsIn = (dump: unknown): readonly StoredEffect[] => {
  const stored = typeof dump === 'object' && dump !== null && 'effects' in dump ? dump.effects : [];
  return Array.isArray(stored) ? stored.filter((one) => one?.effect?.type !== undefined) : [];
};

const listed = (faults: readonly string[]): string => faults.map((one) => `- ${one}`).join('\n');
