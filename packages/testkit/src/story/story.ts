import type { QueueSettings } from '@mq/core';
import type { Driver, Duration, Sights } from '../scenarios/driver.js';
import { type QueueBeside, queueBeside } from './beside.js';
import { sightsOf } from './sights.js';
import { ciVerbs, hostVerbs, peopleVerbs, queueVerbs, type StoryCiVerbs, worldVerbs } from './verbs.js';
import { type StorySetup, StoryWorld } from './world.js';

/** A driver of the engine in memory. What is seen is seen at once, so that no assertion needs to be waited for. */
export type Story = Omit<Driver, keyof Sights> &
  Sights<void> & {
    readonly world: StoryWorld;
    /** Checks of this content end as timed out. */
    timesOut(content: string, check?: string): Promise<void>;
    /** Checks of this content end without a verdict, because of the machinery. */
    breaksDown(content: string, check?: string): Promise<void>;
    isCancelledByCi(content: string, check?: string): Promise<void>;
    /** Forces the head of a pull request back by so many of its own commits; one by default. */
    pushesBack(pr: number, commits?: number): Promise<void>;
    /** The host has no calls left: until this time is over it answers each with the instant to come back at. */
    usesUpQuota(duration: Duration): Promise<void>;
    /** The store fails every call for this time. */
    storeFailsFor(duration: Duration): Promise<void>;
    /** Only this engine, by its number from 0 on, does what is due; the others stand still. */
    turnOf(engine: number): Promise<void>;
    /** Creates a queue on another branch of the repository, served by the same engines. */
    queueBeside(branch: string, settings?: Partial<QueueSettings>): Promise<QueueBeside>;
  } & StoryCiVerbs;

/**
 * Begins a story: a queue with these settings on `main` of a fake repository, in virtual time. CI runs until the story
 * says how it ends. Every story ends with `ends()`; `stories` sees to it.
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
    ...hostVerbs(world),
    ...worldVerbs(world),
    ...sightsOf(world),
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
    turnOf: (engine) => world.turn(engine),
    queueBeside: (branch, own) => queueBeside(world, branch, own),
  };
};

/** `story` for one test file: whatever a test began is ended, and checked, when the test is over. */
export const stories = (afterEach: (check: () => Promise<void>) => void): typeof story => {
  let open: Story[] = [];
  afterEach(async () => {
    const told = open;
    open = [];
    for (const one of told) await one.ends();
  });
  return async (settings, setup) => {
    const one = await story(settings, setup);
    open.push(one);
    return one;
  };
};
