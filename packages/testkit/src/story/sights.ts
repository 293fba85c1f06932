import { reasons, type SubmittedView } from '@mq/core';
import type { Sights } from '../scenarios/driver.js';
import type { StoryWorld } from './world.js';

/** What is seen of a world at rest. Throws with the timeline of the queue. */
export const sightsOf = (world: StoryWorld): Sights<void> => {
  const { repository, ref } = world;
  const expect = (what: string, wanted: unknown, found: unknown): void => {
    if (wanted !== found) throw world.error(`${what}: expected ${wanted}, found ${found}.`);
  };
  const view = (pr: number): SubmittedView => {
    const found = world.seen.submissions.get(pr);
    if (found === undefined) throw world.error(`#${pr} is not known to the queue.`);
    return found;
  };
  const tested = () => repository.ci.checks().filter(({ runId }) => runId !== null);
  const target = () => {
    const head = repository.branches.get(ref.branch);
    if (head === undefined) throw world.error(`There is no branch ${ref.branch}.`);
    return head;
  };

  return {
    isTesting: (...contents) => {
      const running = tested().filter(({ status }) => status !== 'completed');
      const found = new Set(running.map(({ commit }) => world.contentOfRun(commit)));
      expect('Under test', [...contents].sort().join(', '), [...found].sort().join(', '));
    },
    isIn: (states) => {
      for (const [pr, state] of Object.entries(states))
        expect(`#${pr}`, state, view(Number(pr)).submission.state);
    },
    hasLanded: (content) => expect('The target', content, world.contentOfRun(target())),
    hasFiles: (files) => {
      const held = repository.git.get(target()).files;
      for (const [path, content] of Object.entries(files)) expect(path, content, held[path] ?? null);
    },
    hasTitle: (title) => {
      const [line = ''] = repository.git.get(target()).message.split('\n');
      if (!title.test(line)) throw world.error(`The tip is titled "${line}", not ${title}.`);
    },
    waitsFor: (pr, code) => expect(`#${pr} waits for`, code, view(pr).waiting?.code ?? 'nothing'),
    hasReason: (pr, reason) => expect(`The reason of #${pr}`, reason, view(pr).submission.reason),
    explains: (pr, sentence) => {
      const told = explanationOf(view(pr));
      if (!sentence.test(told)) throw world.error(`#${pr} explains itself with "${told}", not ${sentence}.`);
    },
    isOnAttempt: (pr, attempt) => expect(`The attempt of #${pr}`, attempt, view(pr).submission.attempt),
    hasTested: (content, times) => {
      const runs = tested().filter(({ commit }) => world.contentOfRun(commit) === content);
      expect(`Runs of ${content}`, times, new Set(runs.map(({ runId }) => runId)).size);
    },
    queueIs: (status) => expect('The queue', status, world.seen.queue?.status ?? 'gone'),
    isUnknown: (pr) => {
      if (world.seen.submissions.has(pr)) throw world.error(`#${pr} is known to the queue.`);
    },
  };
};

const explanationOf = ({ waiting, submission }: SubmittedView): string => {
  if (waiting !== null) return waiting.sentence;
  const sentence = submission.reason === null ? '' : reasons[submission.reason];
  return [sentence, submission.reasonDetail ?? ''].join(' ').trim();
};
