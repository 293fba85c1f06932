import type { Ledger } from '../ledger.js';
import type { Workload } from '../workload.js';

/**
 * Tests one batch at a time, made of the oldest waiting pull requests. A failed batch is halved, and both halves are
 * tested before anything else.
 */
export const bors = ({ prs }: Workload, ledger: Ledger, batchSize: number): void => {
  const halves: (readonly number[])[] = [];
  let taken = 0;
  let now = 0;
  while (halves.length > 0 || taken < prs.length) {
    const batch = halves.shift() ?? [];
    if (batch.length === 0) {
      now = Math.max(now, prs[taken]?.arr ?? 0);
      const from = taken;
      while (taken - from < batchSize && (prs[taken]?.arr ?? Number.POSITIVE_INFINITY) <= now) taken += 1;
      halves.push(prs.slice(from, taken).map(({ i }) => i));
      continue;
    }
    const isPassed = ledger.test(batch);
    const minutes = Math.max(...batch.map((i) => prs[i]?.dur ?? 0));
    now += minutes;
    ledger.ciMinutes += minutes;
    if (isPassed) for (const i of batch) ledger.land(i, now);
    else if (batch.length === 1) ledger.reject(batch[0] ?? 0, now);
    else {
      const middle = (batch.length + 1) >> 1;
      halves.unshift(batch.slice(0, middle), batch.slice(middle));
    }
  }
};
