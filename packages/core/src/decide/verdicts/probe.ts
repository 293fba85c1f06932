import { gateOf, mayFinish } from '../../model/gates.js';
import type { TestRunId } from '../../model/ids.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import type { Draft } from '../draft/draft.js';
import { beginRun } from '../moves/new-run.js';
import { freeBisectionSlots } from '../testing/slots.js';
import { baselineRuns } from './tip.js';

/** So many infrastructure failures of unrelated pull requests in a row, after the first, before the bare tip is tested. */
export const PROBE_ROUNDS = 2;

/**
 * Tests the bare tip while test runs of unrelated pull requests end in infrastructure failures, once for each of these. A
 * verdict shows that the infrastructure works: then those that fail so again are charged for it.
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
