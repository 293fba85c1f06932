import type { QueueSettings } from '@mq/core';
import type { Driver, Duration, Sights } from '../scenarios/driver.js';
import { assertionsOf } from './assertions.js';
import { type CommandVerbs, commandVerbs } from './commands.js';
import { type ExpectedPresence, presenceAssertionsOf } from './presence-assertions.js';
import { type SecondQueue, secondQueueOf } from './second-queue.js';
import { ciVerbs, hostVerbs, peopleVerbs, queueVerbs, type StoryCiVerbs, worldVerbs } from './verbs.js';
import { type StorySetup, StoryWorld } from './world.js';

/** A driver of the engine in memory. Its assertions are synchronous. */
export type Story = Omit<Driver, keyof Sights> &
  Sights<void> & {
    readonly world: StoryWorld;
    /** Ends checks of this content with `timed_out`: the named one, or all. */
    timesOut(content: string, check?: string): Promise<void>;
    /** Ends checks of this content with an infrastructure failure: the named one, or all. */
    breaksDown(content: string, check?: string): Promise<void>;
    isCancelledByCi(content: string, check?: string): Promise<void>;
    /** Force-pushes the head of a pull request back by `commits` of its own commits; one by default. */
    pushesBack(pr: number, commits?: number): Promise<void>;
    /** The host refuses every call for this time, and names the instant when calls are available again. */
    usesUpQuota(duration: Duration): Promise<void>;
    /** The store fails every call for this time. */
    storeFailsFor(duration: Duration): Promise<void>;
    /** Runs only this engine, numbered from 0, until nothing is due. */
    turnOf(engine: number): Promise<void>;
    /** Asserts what a person sees at a pull request; omitted fields are not checked. Needs `presence` in the setup. */
    sees(pr: number, expected: ExpectedPresence): void;
    /** The text of the queue's comment at a pull request, without its marker; null if there is none. */
    commentOn(pr: number): string | null;
    /** The texts of the queue's other comments at a pull request, oldest first, without their markers. */
    noticesOn(pr: number): readonly string[];
    /** Creates a queue on another branch of the repository, processed by the same engines. */
    queueBeside(branch: string, settings?: Partial<QueueSettings>): Promise<SecondQueue>;
  } & StoryCiVerbs &
  CommandVerbs;

/**
 * Begins a story: a queue with these settings on `main` of a fake repository, in virtual time. A check runs until the story
 * ends it. Call `ends()` at the end of every story; `stories` does it for you.
 */
export const story = async (
  settings: Partial<QueueSettings> = {},
  setup: Omit<StorySetup, 'settings'> = {},
): Promise<Story> => {
  const world = new StoryWorld(setup);
  const ci = ciVerbs(world);
  const queue = queueVerbs(world);
  if (setup.queue !== false) await queue.createsQueue(settings);
  return {
    world,
    ...peopleVerbs(world),
    ...queue,
    ...ci,
    ...commandVerbs(world),
    ...hostVerbs(world),
    ...worldVerbs(world),
    ...assertionsOf(world),
    timesOut: (content, check) => ci.concludes(content, 'timed_out', check),
    breaksDown: (content, check) => ci.concludes(content, 'infrastructure', check),
    isCancelledByCi: (content, check) => ci.concludes(content, 'cancelled', check),
    pushesBack: (pr, commits) =>
      world.act(() => {
        world.repository.pushBack(pr, commits);
      }),
    usesUpQuota: async (duration) => world.useUpQuota(duration),
    storeFailsFor: async (duration) => {
      world.setStoreReachable(false);
      await world.pass(duration);
      world.setStoreReachable(true);
      await world.settle();
    },
    ...presenceAssertionsOf(world),
    turnOf: (engine) => world.turn(engine),
    queueBeside: (branch, own) => secondQueueOf(world, branch, own),
  };
};

/** Returns `story` for one test file. Every story that a test began is ended and checked after the test. */
export const stories = (afterEach: (check: () => Promise<void>) => void): typeof story => {
  let open: Story[] = [];
  afterEach(async () => {
    const ending = open;
    open = [];
    for (const one of ending) await one.ends();
  });
  return async (settings, setup) => {
    const one = await story(settings, setup);
    open.push(one);
    return one;
  };
};
