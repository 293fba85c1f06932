import { gateOf, mayFinish } from '../../model/gates.js';
import type { RunId } from '../../model/ids.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import type { Draft } from '../draft/draft.js';
import { beginRun } from '../moves/new-run.js';
import { freeToIsolate } from '../testing/slots.js';
import { controls } from './tip.js';

/** So many infrastructure failures of unrelated pull requests in a row, after the first, before the bare tip is tested. */
export const PROBE_ROUNDS = 2;

/**
 * Tests the bare tip while test runs of unrelated pull requests end in infrastructure failures, once for each of these. A
 * verdict shows that the infrastructure works: then those that fail so again are charged for it.
 */
export const probeInfrastructure = (draft: Draft): void => {
  const { machineryTrouble, target } = draft.queue;
  const names = requiredChecksOf(draft.queue)?.names ?? [];
  if (machineryTrouble === null || machineryTrouble.rounds < PROBE_ROUNDS) return;
  if (machineryTrouble.probe !== undefined || target.head === null || names.length === 0) return;
  if (!mayFinish(gateOf(draft.queue)) || freeToIsolate(draft) <= 0 || controls(draft).length > 0) return;
  const probe = draft.newId<RunId>();
  beginRun(draft, probe, {
    purpose: { kind: 'control', isFresh: true },
    batch: [],
    stack: [],
    without: [],
    base: target.head,
    requiredChecks: names,
  });
  draft.changeQueue({ machineryTrouble: { ...machineryTrouble, probe } });
};
