import {
  aCandidate,
  aPullRequest,
  aVerdict,
  effectIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
} from '@mq/testkit';
import { Performer } from '../src/engine/performer.js';
import type { Effect, Land } from '../src/model/effect.js';
import type { Fact } from '../src/model/input.js';
import type { CodeHost } from '../src/ports/code-host.js';
import { silentLogger } from '../src/ports/logger.js';
import { engineWorld } from './engine-world.js';

export const candidate = aCandidate([1]);
export const landing: Land = {
  id: effectIdOf(1),
  type: 'land',
  runId: runIdOf(1),
  branch: 'main',
  onto: shaOf(1),
  candidate,
  members: [{ pr: 1, head: aPullRequest(1).head, forced: false }],
};
export const build: Effect = {
  id: effectIdOf(1),
  type: 'build_candidate',
  runId: runIdOf(1),
  branch: 'main',
  base: shaOf(1),
  parts: [],
  method: 'squash',
  decidedAt: 0,
  isDirect: false,
};
export const drop = { id: effectIdOf(1), type: 'drop_candidate', runId: runIdOf(1) } as const;

/** A host that knows one pull request and one branch, and performs all effects. */
export const aHost = (override: Partial<CodeHost> = {}): CodeHost => ({
  hasRepository: async () => true,
  getBranch: async () => ({ head: shaOf(1), requiredChecks: ['build'] }),
  contains: async () => false,
  getPullRequests: async (_, numbers) => numbers.filter((n) => n < 900).map((n) => aPullRequest(n)),
  findPullRequest: async () => null,
  buildCandidate: async () => ({ kind: 'built', candidate }),
  getChecks: async () => new Map(),
  land: async () => ({ kind: 'landed', head: candidate.commit, tree: candidate.tree }),
  dropCandidate: async () => undefined,
  listCandidates: async () => [],
  ...override,
});

/** A store with these effects, and a performer that runs them on this host. */
export const performing = async (effects: readonly Effect[], host: CodeHost | null, isRunning = false) => {
  const world = await engineWorld();
  await world.rival({ effects, writes: someWrites({ verdicts: [aVerdict(candidate.tree)] }) });
  let finished = 0;
  const performer = new Performer({
    store: world.store,
    hostOf: () => host,
    clock: world.clock,
    time: world.time,
    logger: silentLogger,
    owner: 'me',
    isRunning: () => isRunning,
    deliver: async () => 'gone',
    finished: () => {
      finished += 1;
    },
  });
  return {
    ...world,
    performer,
    finishedCount: () => finished,
    pass: async () => {
      const begun = await performer.begin();
      await performer.idle();
      return begun;
    },
    learnt: async (): Promise<readonly Fact[]> =>
      (await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.inbox ?? [],
    offeredAfter: async (ms: number) => {
      await world.clock.advance(ms);
      return (await world.memory.lease({ owner: 'other', forMs: 1, limit: 9 })).length;
    },
  };
};

/** The first fact from running the effect. */
export const learns = async (effect: Effect, host = aHost()): Promise<Fact | undefined> => {
  const world = await performing([effect], host);
  await world.pass();
  return (await world.learnt())[0];
};
