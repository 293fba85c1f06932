import { aSubmission, BUILT_AT, effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aContext, answerTo, aQuietQueue, aRunOn, aState, aTestedSubmission, NOW } from '../../test/rules.js';
import type { Fact } from '../model/input.js';
import { isolateBrokenInput } from './broken-input.js';

test('a fact that makes the decision throw pauses the queue, since its effect has no result', () => {
  const building = aRunOn([1], { state: 'building', candidate: null, building: effectIdOf(1) });
  const state = aState({ submissions: [aTestedSubmission(1)], runs: [building] });
  const about = { runId: building.id, outcome: null, known: [], pulls: [] };
  const poison = { ...answerTo(1), type: 'candidate_built', ...about } as unknown as Fact;

  const { writes } = isolateBrokenInput(state, [poison], aContext(), new Error('broken'));

  expect(writes.queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'POISONED_INPUT' } });
  expect(writes.history.map(({ type }) => type)).toEqual(['alarm']);
  expect(writes.history.at(-1)?.sequence).toBe(state.queue.sequence + 1);
  expect(writes.queue?.sequence).toBe(state.queue.sequence + 1);
});

test('a faulty state makes all polls of the host due', () => {
  const asked = { asked: effectIdOf(7), upTo: 5, askedAt: BUILT_AT, again: true, dueAt: NOW + 60_000 };
  const polls = { branch: asked, pullRequests: asked, checks: asked };
  const broken = aSubmission(1, { pull: null as never, head: null as never });
  const state = aState({ queue: aQuietQueue({}, { polls }), submissions: [broken] });

  const { writes } = isolateBrokenInput(state, [], aContext(), new Error('broken'));

  const due = expect.objectContaining({ asked: null, upTo: null, again: false, dueAt: NOW });
  expect(writes.queue).toMatchObject({
    wanted: 'paused',
    polls: { branch: due, pullRequests: due, checks: due },
  });
});
