import {
  type CiVerbs,
  type Driver,
  type HostVerbs,
  queueVerbs,
  type Setup,
  sightsOf,
  worldVerbs,
} from '@mq/testkit';
import { peopleVerbs, untold } from './git-people.js';
import { GitStoryWorld, isVerdict } from './git-story-world.js';

/** The engine on a bare repository on disk, for the scenarios of layer L. The caller must close it. */
export const gitDriver = async ({
  settings = {},
  queue,
  ...setup
}: Setup): Promise<Driver & { close(): Promise<void> }> => {
  const world = await GitStoryWorld.begin(setup);
  const verbs = queueVerbs(world);
  if (queue !== false) await verbs.createsQueue(settings);
  return {
    ...peopleVerbs(world),
    ...verbs,
    ...ciVerbs(world),
    ...hostVerbs(world),
    ...worldVerbs(world),
    ...sightsOf(world),
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
      : untold(`the conclusion ${conclusion}`),
  reports: () => untold('another CI than its own'),
  showsHead: (pr, conclusion) =>
    world.act(async () => {
      await world.open(pr);
      await world.testByItself(await world.headOf(pr), conclusion);
    }),
});

type ByPeople = Omit<HostVerbs, keyof ReturnType<typeof worldVerbs>>;

const hostVerbs = (world: GitStoryWorld): ByPeople => ({
  saysMergeability: () => untold('a mergeability that is not true'),
  requires: () => untold('rules other than its checks'),
  lagsBehind: () => untold('reads that lag'),
  catchesUp: () => untold('reads that lag'),
  goesDown: async () => {
    world.isReachable = false;
  },
  comesBack: async () => {
    world.isReachable = true;
  },
  refusesLandings: () => untold('reasons of its own against a landing'),
  stopsLandingAfter: () => untold('landing one by one'),
  rewritesLandings: () => untold('landing something else'),
  startsChecks: async (by) => {
    world.startsChecks = by;
  },
  cancelsChecks: async (can) => {
    world.cancelsChecks = can;
  },
});
