import type { Answer } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import { defaultSettings } from '../model/settings.js';
import type { QueueDelta, Store } from '../ports/store.js';

const names = Object.keys(defaultSettings);

/** With the default of every setting that the row lacks: a release can add one without a migration. */
const complete = (queue: Queue): Queue =>
  names.every((name) => name in queue.settings)
    ? queue
    : { ...queue, settings: { ...defaultSettings, ...queue.settings } };

const completeAnswer = (answer: Answer): Answer =>
  answer.result.ok && answer.result.queue !== null
    ? { ...answer, result: { ...answer.result, queue: complete(answer.result.queue) } }
    : answer;

const completeDelta = ({ queue, recalled, ...delta }: QueueDelta): QueueDelta => ({
  ...delta,
  queue: complete(queue),
  recalled: { ...recalled, answers: recalled.answers.map(completeAnswer) },
});

/** The same store. Every queue that it answers has all settings, also one that was stored before a setting existed. */
export const withCompleteSettings = (store: Store): Store => {
  const reads: Pick<Store, 'queues' | 'load' | 'answers'> = {
    queues: async (query) => {
      const page = await store.queues(query);
      return { ...page, items: page.items.map(complete) };
    },
    load: async (id, since, recall) => {
      const delta = await store.load(id, since, recall);
      return delta === null ? null : completeDelta(delta);
    },
    answers: async (ids) => (await store.answers(ids)).map(completeAnswer),
  };
  return new Proxy(store, {
    get: (own, name) => {
      if (Object.hasOwn(reads, name)) return Reflect.get(reads, name);
      const value: unknown = Reflect.get(own, name);
      return typeof value === 'function' ? value.bind(own) : value;
    },
  });
};
