import {
  assertionsOf,
  type CiVerbs,
  type Driver,
  type HostVerbs,
  queueVerbs,
  type Setup,
  worldVerbs,
} from '@mq/testkit';
import { peopleVerbs, unsupported } from './git-people.js';
import { GitStoryWorld, isVerdict } from './git-story-world.js';
import { withinLimit } from './within-limit.js';

/** The engine on a bare repository on disk, for the scenarios of layer L. The caller must close it. */
export const gitDriver = async ({
  settings = {},
  queue,
  ...setup
}: Setup): Promise<Driver & { close(): Promise<void> }> => {
  const world = await withinLimit(GitStoryWorld.begin(setup), () => 'The world has not begun.');
  const verbs = queueVerbs(world);
  if (queue !== false) await verbs.createsQueue(settings);
  return {
    ...peopleVerbs(world),
    ...verbs,
    ...ciVerbs(world),
    ...hostVerbs(world),
    ...worldVerbs(world),
    ...assertionsOf(world),
    close: () => world.close(),
  };
};

const ciVerbs = (world: GitStoryWorld): CiVerbs => ({
  passes: (content, check) => world.act(() => world.end(content, check ?? null, 'success')),
  fails: (content, check) => world.act(() => world.end(content, check ?? null, 'failure')),
  finishes: (content) => world.act(() => world.end(content, null, null)),
  concludes: (content, conclusion, check) =>
    isVerdict(conclusion)
      ? world.act(() => world.end(content, check ?? null, conclusion))
      : unsupported(`the conclusion ${conclusion}`),
  reports: () => unsupported('another CI than its own'),
  showsHead: (pr, conclusion) =>
    world.act(async () => {
      await world.open(pr);
      await world.testByItself(await world.headOf(pr), conclusion);
    }),
});

type ByPeople = Omit<HostVerbs, keyof ReturnType<typeof worldVerbs>>;

const hostVerbs = (world: GitStoryWorld): ByPeople => ({
  saysMergeability: () => unsupported('a mergeability that is not true'),
  requires: () => unsupported('rules other than its checks'),
  lagsBehind: () => unsupported('reads that lag'),
  catchesUp: () => unsupported('reads that lag'),
  goesDown: async () => {
    world.isReachable = false;
  },
  comesBack: async () => {
    world.isReachable = true;
  },
  refusesLandings: () => unsupported('reasons of its own against a landing'),
  stopsLandingAfter: () => unsupported('landing one by one'),
  rewritesLandings: () => unsupported('landing something else'),
  startsChecks: async (by) => {
    world.startsChecks = by;
  },
  cancelsChecks: async (can) => {
    world.cancelsChecks = can;
  },
});
