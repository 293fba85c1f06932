import { inputIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aDraft, answerTo, aQuietQueue, aTarget, configureOf, decided, NOW } from '../../test/rules.js';
import type { Fact } from '../model/input.js';
import { isUnderstood, LOOK_AGAIN_MS, letGoOfUnderstood, NOT_UNDERSTOOD_LIMIT } from './not-understood.js';

const ofTomorrow = (ordinal: number): Fact => ({ id: inputIdOf(ordinal), type: 'of_tomorrow' }) as never;
const noticed = (what: string): Fact => ({ id: inputIdOf(1), type: 'noticed', what }) as never;

test('a command and what the host said are understood, and nothing that only a newer release knows of', () => {
  expect(isUnderstood(configureOf({}))).toBe(true);
  expect(isUnderstood({ ...answerTo(), type: 'branch_seen' } as never)).toBe(true);
  expect(isUnderstood(noticed('checks'))).toBe(true);
  expect(isUnderstood(ofTomorrow(1))).toBe(false);
  expect(isUnderstood(noticed('of_tomorrow'))).toBe(false);
  expect(isUnderstood({ ...noticed('checks'), type: 'of_tomorrow' } as never)).toBe(false);
});

test('what is not understood is kept, each once, in the order in which it came', () => {
  const [first, second] = [ofTomorrow(1), ofTomorrow(2)];

  const outcome = decided({ queue: aQuietQueue({}, { notUnderstood: [first] }) }, [second, first]);

  expect(outcome.queue.notUnderstood).toEqual([first, second]);
});

test('as many are kept as there is room for, and one more is an error', () => {
  const kept = Array.from({ length: NOT_UNDERSTOOD_LIMIT - 1 }, (_, one) => ofTomorrow(one));
  const queue = aQuietQueue({}, { notUnderstood: kept });

  expect(decided({ queue }, [ofTomorrow(1_000)]).queue.notUnderstood).toHaveLength(NOT_UNDERSTOOD_LIMIT);
  expect(() => decided({ queue }, [ofTomorrow(1_000), ofTomorrow(1_001)])).toThrow('wait already');
});

test('what is understood by now waits no longer, and the others do', () => {
  const queue = aQuietQueue({}, { notUnderstood: [ofTomorrow(1), noticed('checks'), ofTomorrow(2)] });

  expect(decided({ queue }).queue.notUnderstood).toEqual([ofTomorrow(1), ofTomorrow(2)]);
});

test('where none of them is understood, nothing is written', () => {
  const draft = aDraft({ queue: aQuietQueue({}, { notUnderstood: [ofTomorrow(1)] }) });

  letGoOfUnderstood(draft);

  expect(draft.queue).toBe(draft.before);
});

test('somebody looks again soon, and only where something waits', () => {
  const wakesAt = (notUnderstood: readonly Fact[]) =>
    decided({ queue: aQuietQueue({}, { notUnderstood, target: aTarget() }) }).decision.wakeAt;

  expect(wakesAt([ofTomorrow(1)])).toBe(NOW + LOOK_AGAIN_MS);
  expect(wakesAt([])).toBeNull();
});
