import { attemptFaults } from './attempts.js';
import type { Evidence } from './evidence.js';
import { landingFaults } from './landings.js';
import { leakFaults } from './leaks.js';
import { receiptFaults } from './receipts.js';

/**
 * What every test ends with, whatever it was about: nothing leaked, and every invariant of the queue held from its
 * first row to its last. One sentence per fault; none where all is well. The queue has to be settled.
 */
export const globalCheck = (evidence: Evidence): readonly string[] => [
  ...attemptFaults(evidence),
  ...landingFaults(evidence),
  ...leakFaults(evidence),
  ...receiptFaults(evidence),
];
