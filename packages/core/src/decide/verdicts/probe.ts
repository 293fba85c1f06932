import { gateOf, mayFinish } from '../../model/gates.js';
import type { TestRunId } from '../../model/ids.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import type { Draft } from '../draft/draft.js';
import { beginRun } from '../moves/new-run.js';
import { freeBisectionSlots } from '../testing/slots.js';
import { baselineRuns } from './baseline-runs.js';

/** Infrastructure failures of unrelated pull requests in a row, after the first, before the bare base is tested. */
export const PROBE_ROUNDS = 2;

/**
 * Tests the bare base once if test runs of unrelated pull requests keep ending in infrastructure failures. A verdict
 * shows that the infrastructure works; after that, pull requests that fail so again are charged a retry.
 */
export const probeInfrastructure = (draft: Draft): void => {
  const { infrastructureFailure, target } = draft.queue;
  const names = requiredChecksOf(draft.queue)?.names ?? [];
  if (infrastructureFailure === null || infrastructureFailure.rounds < PROBE_ROUNDS) return;
  if (infrastructureFailure.probe !== undefined || target.head === null || names.length === 0) return;
  if (!mayFinish(gateOf(draft.queue)) || freeBisectionSlots(draft) <= 0 || baselineRuns(draft).length > 0)
    return;
  const probe = draft.newId<TestRunId>();
  beginRun(draft, probe, {
    purpose: { kind: 'control', isFresh: true },
    batch: [],
    stack: [],
    without: [],
    base: target.head,
    requiredChecks: names,
  });
  draft.changeQueue({ infrastructureFailure: { ...infrastructureFailure, probe } });
};
