import { attemptFaults } from './attempts.js';
import type { Evidence } from './evidence.js';
import { landingFaults } from './landings.js';
import { leakFaults } from './leaks.js';
import { receiptFaults } from './receipts.js';
import { secretFaults } from './secrets.js';

/**
 * Checks at the end of a test that nothing leaked and that every invariant of the queue held throughout its history.
 * Returns one sentence per fault. The queue must be settled.
 */
export const globalCheck = (evidence: Evidence): readonly string[] => [
  ...attemptFaults(evidence),
  ...landingFaults(evidence),
  ...leakFaults(evidence),
  ...receiptFaults(evidence),
  ...secretFaults(evidence),
];
