import { effectIdOf } from '@mq/testkit';
import type { TestRun } from '../src/model/run.js';

/** A test run whose candidate is being built, as the effect that `answerTo(1)` answers. */
export const beingBuilt: Partial<TestRun> = {
  state: 'building',
  candidate: null,
  building: effectIdOf(1),
  startedChecks: [],
  testingSince: null,
  deadlineAt: null,
};
