import {
  type Adaptation,
  activeBatchSize,
  activeConcurrency,
  batchSizeFor,
  failureRateFor,
  LEAST_CONCURRENCY,
} from '../../model/adaptation.js';
import type { Adapted } from '../../model/history.js';
import { isSameMember, type TestRun, takesSlot, usesBisectionSlot } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { unstamped } from '../draft/history-rows.js';

/** A failure lowers the active concurrency if it stops at least this share of the test runs. */
const STOPPED_SHARE = 1 / 2;
/** The share of the active concurrency that is kept. */
const KEPT_SHARE = 4 / 5;
/** The weight of one pull request in the share of failures. */
const WEIGHT = 1 / 50;
/** The batch size stays as it is until the one that fits best differs by at least this share. */
const BATCH_SIZE_STEP = 1 / 4;

/** Raises the active concurrency by one if a pull request merges while all slots are in use. */
export const adaptToMerge = (draft: Draft, pr: number): void => {
  const { settings, adaptation } = draft.queue;
  const active = activeConcurrency(draft.queue);
  if (settings.autoConcurrency && active < settings.concurrency && testsInLine(draft).length >= active) {
    const raised = { ...adaptation, concurrency: active + 1 };
    change(draft, raised, `#${pr} merged while all ${active} test slots were in use.`);
  }
  countForBatches(draft, 0);
};

/** A pull request that failed by its own fault counts for the size of batches. */
export const adaptToCulprit = (draft: Draft): void => countForBatches(draft, 1);

/**
 * Lowers the active concurrency if a failure stops many test runs. A test run that was created before the last
 * lowering does not lower it again: it shows nothing about the present number.
 */
export const adaptToFailure = (draft: Draft, failed: TestRun): void => {
  const { settings, adaptation } = draft.queue;
  const last = failed.batch.at(-1);
  if (!settings.autoConcurrency || last === undefined) return;
  if (adaptation.loweredAt !== null && failed.createdAt < adaptation.loweredAt) return;
  const active = activeConcurrency(draft.queue);
  const isOnTop = ({ stack }: TestRun) => stack.some((one) => isSameMember(one, last));
  const stopped = testsInLine(draft).filter(isOnTop).length;
  if (stopped === 0 || stopped < active * STOPPED_SHARE) return;
  const least = Math.min(LEAST_CONCURRENCY, settings.concurrency);
  const concurrency = Math.max(least, Math.floor(active * KEPT_SHARE));
  const lowered = { ...adaptation, concurrency, loweredAt: draft.now };
  change(draft, lowered, `The failure of #${last.pr} stopped ${stopped} of ${active} test runs.`);
};

const testsInLine = (draft: Draft): readonly TestRun[] =>
  draft.openRuns().filter((run) => takesSlot(run) && !usesBisectionSlot(run));

const countForBatches = (draft: Draft, failures: 0 | 1): void => {
  const { settings, adaptation } = draft.queue;
  if (!settings.autoBatching || !settings.batch) return;
  const before = adaptation.failureRate ?? failureRateFor(settings.batchingMinSize);
  const failureRate = before + (failures - before) * WEIGHT;
  const fitting = Math.min(batchSizeFor(failureRate), settings.batchingMinSize);
  const active = activeBatchSize(draft.queue);
  const isFar = Math.abs(fitting - active) >= active * BATCH_SIZE_STEP;
  const batchSize = isFar ? fitting : active;
  const percent = Math.round(failureRate * 100);
  change(draft, { ...adaptation, failureRate, batchSize }, `About ${percent} % of pull requests fail.`);
};

/** Sets what is in force, with a row in the history where that differs. */
const change = (draft: Draft, adaptation: Adaptation, sentence: string): void => {
  const before = draft.queue;
  const after = { ...before, adaptation };
  draft.changeQueue({ adaptation });
  record(draft, 'concurrency', [activeConcurrency(before), activeConcurrency(after)], sentence);
  record(draft, 'batch_size', [activeBatchSize(before), activeBatchSize(after)], sentence);
};

const record = (
  draft: Draft,
  what: Adapted['what'],
  [from, to]: readonly [number, number],
  sentence: string,
): void => {
  if (from !== to) draft.record({ ...unstamped, type: 'adapted', what, from, to, sentence });
};
