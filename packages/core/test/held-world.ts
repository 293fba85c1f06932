import { queueIdOf } from '@mq/testkit';
import type { Hands } from '../src/engine/ready.js';
import type { Queue } from '../src/model/queue.js';
import type { Commit, LeaseAsk } from '../src/ports/store.js';
import { aSubmit, engineWorld, type Fault } from './engine-world.js';

/** Long enough for whatever happens by itself. */
export const quiet = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

export const countingHands = () => {
  let kept = 0;
  const hands: Hands = {
    offer: (count) => {
      kept += 1;
      return { owner: 'me', forMs: 60_000, limit: count };
    },
    take: (_: LeaseAsk) => {
      kept -= 1;
    },
  };
  return { hands, kept: () => kept };
};

/** A queue that is known here, where commits stand still until they are let go. What happens is told as commits by what they submit. */
export const held = async (hands: Hands | null = null, queue: Partial<Queue> = {}) => {
  const world = await engineWorld(queue);
  const decider = world.deciderOf(queueIdOf(1), hands);
  await decider.ask(aSubmit(9));
  const prepared: (readonly number[])[] = [];
  const sent: (readonly number[])[] = [];
  const prsOf = (commit: Commit) => commit.writes.submissions.map(({ pr }) => pr);
  world.store.prepare = (commit) => void prepared.push(prsOf(commit));
  const hold = (fault: Fault = (real) => real(), ...later: readonly Fault[]) => {
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const seen =
      (then: Fault): Fault =>
      (real, args) => {
        sent.push(prsOf(args[0] as Commit));
        return then(real, args);
      };
    const held = seen((real, args) => gate.then(() => fault(real, args)));
    world.next(
      'commit',
      held,
      ...later.map(seen),
      ...Array.from({ length: 9 }, () => seen((real) => real())),
    );
    return letGo;
  };
  const live = async () =>
    (await world.memory.submissions({ queueId: queueIdOf(1), limit: 99 })).items.map(({ pr }) => pr).sort();
  return { ...world, decider, prepared, sent, hold, live };
};
