import { loadsOf } from './loads.js';
import { BOUND, policyOf } from './policies.js';
import { boundOf, type Result, race } from './race.js';

/** The task of a child, as JSON in its first argument: races policies on one load and one seed. */
export interface Task {
  readonly load: string;
  readonly seed: number;
  readonly policies: readonly string[];
  readonly set: readonly string[];
  readonly flakeRate: number;
}

export type Message =
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'result'; readonly result: Result };

const PROGRESS_EVERY_MS = 1_000;

const send = (message: Message): void => {
  process.send?.(message);
};

const { load, seed, policies, set, flakeRate } = JSON.parse(process.argv[2] ?? '') as Task;
for (const workload of await loadsOf(load, [seed]))
  for (const text of policies) {
    if (text === BOUND) {
      send({ type: 'result', result: boundOf(workload) });
      continue;
    }
    let shownAt = 0;
    const onProgress = (minute: number, decided: number) => {
      const now = performance.now();
      if (now - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = now;
      const place = `${load} seed ${seed}, ${text}`;
      const count = `${decided} of ${workload.prs.length}`;
      send({ type: 'progress', text: `${place}: ${count} decided by minute ${Math.round(minute)}` });
    };
    send({ type: 'result', result: race(workload, policyOf(text, set), { flakeRate, onProgress }) });
  }
