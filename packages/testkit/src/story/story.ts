import type { QueueSettings } from '@mq/core';
import { fakeHostEvidence, gatherEvidence } from '../global-check/evidence.js';
import { globalCheck } from '../global-check/global-check.js';
import type { Driver, Sights } from '../scenarios/driver.js';
import { sightsOf } from './sights.js';
import { ciVerbs, hostVerbs, peopleVerbs, queueVerbs } from './verbs.js';
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
  };

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
    ...sightsOf(world),
    timesOut: (content, check) => ci.concludes(content, 'timed_out', check),
    breaksDown: (content, check) => ci.concludes(content, 'infrastructure', check),
    isCancelledByCi: (content, check) => ci.concludes(content, 'cancelled', check),
    after: (duration) => world.pass(duration),
    unseen: (act) => world.unseen(act),
    isDownFor: (duration) => world.downFor(duration),
    crashes: () => world.crash(),
    isRefused: (code, verb) => isRefused(world, code, verb),
    ends: () => end(world),
  };
};

const isRefused = async (world: StoryWorld, code: string, verb: () => Promise<void>): Promise<void> => {
  const error: unknown = await verb().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) throw world.error(`It was done; ${code} was expected.`);
  if (!(error instanceof Error) || !('code' in error)) throw error;
  if (error.code !== code) throw world.error(`Refused with ${error.code}, not ${code}: ${error.message}`);
};

const end = async (world: StoryWorld): Promise<void> => {
  await world.settle();
  const faults: string[] = [];
  const { queue, mq, store, host, ref } = world;
  if (queue !== null) {
    const evidence = await gatherEvidence({ mq, store, queue, host: fakeHostEvidence(host, ref) });
    faults.push(...globalCheck(evidence));
  }
  for (const wish of store.dump().wishes)
    if (wish.token !== null)
      faults.push(`${wish.effect.type} is leased by ${wish.owner} and was never settled.`);
  await mq.close();
  if (world.clock.waiting > 0) faults.push(`${world.clock.waiting} timers are left.`);
  if (faults.length > 0)
    throw world.error(`The story ends with faults:\n${faults.map((one) => `- ${one}`).join('\n')}`);
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
