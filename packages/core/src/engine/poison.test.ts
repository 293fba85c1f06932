import { effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aContext, answerTo, aRunOn, aState, aTestedSubmission } from '../../test/rules.js';
import type { Fact } from '../model/input.js';
import { setAside } from './poison.js';

test('an answer about a run that cannot be taken in pauses the queue, since its question stays open', () => {
  const building = aRunOn([1], { state: 'building', trial: null, building: effectIdOf(1) });
  const state = aState({ submissions: [aTestedSubmission(1)], runs: [building] });
  const about = { runId: building.id, outcome: null, known: [], pulls: [] };
  const poison = { ...answerTo(1), type: 'trial_built', ...about } as unknown as Fact;

  const { writes } = setAside(state, [poison], aContext(), new Error('broken'));

  expect(writes.queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'POISONED_INPUT' } });
  expect(writes.history.map(({ type }) => type)).toEqual(['alarm']);
  expect(writes.history.at(-1)?.sequence).toBe(state.queue.sequence + 1);
  expect(writes.queue?.sequence).toBe(state.queue.sequence + 1);
});
