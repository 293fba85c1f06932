/**
 * The test files that `npm test` leaves to `npm run verify`: the suite that everybody runs answers within five minutes on two
 * processors. For each promise that needs real processes one test stays there.
 */
/** @type {readonly string[]} */
export const thoroughFiles = [];

/** Test files that `npm test` runs with a sample of their seeds, and `npm run verify` with all of them. */
export const seedFiles = [
  'packages/simulation/test/crash-points.test.ts',
  'packages/simulation/test/simulation.test.ts',
];
