import { Agenda } from '../../world/agenda.js';
import type { Ledger } from '../ledger.js';
import { doOverlap, truthOf, type Workload } from '../workload.js';

/**
 * Knows every verdict: tests each pull request once, in order of arrival, and decides it once its test has ended and
 * the overlapping predecessors are decided.
 */
export const oracle = (load: Workload, ledger: Ledger): void => {
  const { prs } = load;
  const truth = truthOf(load);
  const agenda = new Agenda<(now: number) => void>();
  const undecided = new Set<number>();
  const tested = new Set<number>();
  const awaited = new Map<number, Set<number>>();
  const waiting: number[] = [];
  let busy = 0;

  const decide = (now: number): void => {
    for (const i of undecided) {
      const ahead = awaited.get(i);
      for (const other of ahead ?? []) if (!undecided.has(other)) ahead?.delete(other);
      if (!tested.has(i) || ahead?.size !== 0) continue;
      undecided.delete(i);
      if (truth[i] === true) ledger.land(i, now);
      else ledger.reject(i, now);
    }
  };
  for (const one of prs)
    agenda.put(one.arr, () => {
      const ahead = [...undecided].filter((other) => doOverlap(one, prs[other] ?? one));
      awaited.set(one.i, new Set(ahead));
      undecided.add(one.i);
      waiting.push(one.i);
    });
  for (let now = agenda.nextAt; now < Number.POSITIVE_INFINITY; now = agenda.nextAt) {
    agenda.take()?.(now);
    for (; busy < load.W && waiting.length > 0; busy += 1) {
      const i = waiting.shift() ?? 0;
      const minutes = prs[i]?.dur ?? 0;
      ledger.runs += 1;
      agenda.put(now + minutes, (endedAt) => {
        busy -= 1;
        ledger.ciMinutes += minutes;
        tested.add(i);
        decide(endedAt);
      });
    }
  }
};
