import { reasons, type Sha, type SubmittedView } from '@mq/core';
import type { Sights } from '../scenarios/driver.js';
import { msOf, type QueueSeat } from './snapshot.js';
import { timelineOf } from './timeline.js';

/** The assertions of a story. Each throws an error with the timeline of the queue. */
export const assertionsOf = (world: QueueSeat): Sights<void> => ({
  ...queueSightsOf(world),
  ...hostSightsOf(world),
});

type OfTheHost = 'isTesting' | 'hasLanded' | 'hasMoved' | 'hasFiles' | 'hasTitle' | 'hasTested' | 'hasAsked';

const queueSightsOf = (world: QueueSeat): Omit<Sights<void>, OfTheHost> => {
  const expect = expectIn(world);
  const view = (pr: number): SubmittedView => {
    const found = world.seen.submissions.get(pr);
    if (found === undefined) throw world.error(`#${pr} was never submitted to the queue.`);
    return found;
  };

  return {
    isIn: (states) => {
      for (const [pr, state] of Object.entries(states))
        expect(`#${pr}`, state, view(Number(pr)).submission.state);
    },
    waitsFor: (pr, code) => expect(`#${pr} waits for`, code, view(pr).waiting?.code ?? 'nothing'),
    hasReason: (pr, reason) => expect(`The reason of #${pr}`, reason, view(pr).submission.reason),
    explains: (pr, sentence) => {
      const explained = explanationOf(view(pr));
      if (!sentence.test(explained))
        throw world.error(`#${pr}: expected an explanation that matches ${sentence}, found "${explained}".`);
    },
    isOnAttempt: (pr, attempt) => expect(`The attempt of #${pr}`, attempt, view(pr).submission.attempt),
    wasSubmitted: (pr, ago) => {
      const at = world.clock.now() - msOf(ago);
      expect(`#${pr} was submitted`, timeOf(at), timeOf(view(pr).submission.submittedAt));
    },
    hasOnRecord: (sentence) => {
      const timeline = timelineOf(world.seen.history, (commit) => world.contentOf(commit));
      if (!sentence.test(timeline)) throw world.error(`No row of the history matches ${sentence}.`);
    },
    warnsOf: (check) => {
      const unreported = world.seen.queue?.unreportedChecks ?? [];
      if (!unreported.includes(check)) throw world.error(`The queue does not warn of ${check}.`);
    },
    queueIs: (status) => expect('The queue', status, world.seen.queue?.status ?? 'gone'),
    isUnknown: (pr) => {
      if (world.seen.submissions.has(pr)) throw world.error(`#${pr} was submitted to the queue.`);
    },
  };
};

const hostSightsOf = (world: QueueSeat): Pick<Sights<void>, OfTheHost> => {
  const expect = expectIn(world);
  const target = (): Sha => {
    const tip = world.tip();
    if (tip === null) throw world.error(`There is no branch ${world.ref.targetBranch}.`);
    return tip;
  };

  return {
    isTesting: (...contents) => {
      const running = world.checks().filter(({ isRunning }) => isRunning);
      const found = new Set(running.map(({ commit }) => world.contentOf(commit)));
      expect('Under test', [...contents].sort().join(', '), [...found].sort().join(', '));
    },
    hasLanded: (content) => expect('The target', content, world.contentOf(target())),
    hasMoved: (times) => expect('Moves of the target', times, world.evidence().landings?.length ?? 'unknown'),
    hasFiles: (files, before = 0) => {
      let at = target();
      for (let back = 0; back < before; back += 1) at = world.commit(at).parents[0] ?? at;
      const held = world.commit(at).files;
      for (const [path, content] of Object.entries(files)) expect(path, content, held[path] ?? null);
    },
    hasTitle: (title) => {
      const [line = ''] = world.commit(target()).message.split('\n');
      if (!title.test(line))
        throw world.error(`The title of the tip is "${line}", which does not match ${title}.`);
    },
    hasTested: (content, times) => {
      const runs = world.checks().filter(({ commit }) => world.contentOf(commit) === content);
      expect(`Test runs of ${content}`, times, new Set(runs.map(({ runId }) => runId)).size);
    },
    hasAsked: (call, times) => expect(`Calls of ${call}`, times, world.asked.get(call) ?? 0),
  };
};

const expectIn =
  (world: QueueSeat) =>
  (what: string, wanted: unknown, found: unknown): void => {
    if (wanted !== found) throw world.error(`${what}: expected ${wanted}, found ${found}.`);
  };

const timeOf = (at: number): string => new Date(at).toISOString();

const explanationOf = ({ waiting, submission }: SubmittedView): string => {
  if (waiting !== null) return waiting.sentence;
  const sentence = submission.reason === null ? '' : reasons[submission.reason];
  return [sentence, submission.reasonDetail ?? ''].join(' ').trim();
};
