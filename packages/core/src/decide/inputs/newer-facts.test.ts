import { inputIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aDraft, answerTo, aQuietQueue, decided, NOW, submitOf } from '../../../test/rules.js';
import type { Fact, Input } from '../../model/input.js';
import { dropUnderstood, isUnderstood, NOT_UNDERSTOOD_LIMIT, REREAD_MS } from './newer-facts.js';

/** A fact of a type that this release does not know. */
const strange = (ordinal: number, type = 'moon_seen'): Fact =>
  ({ ...answerTo(1), id: inputIdOf(ordinal), type }) as unknown as Fact;
const noticed = (what: string, ordinal = 90): Fact =>
  ({ id: inputIdOf(ordinal), type: 'noticed', what }) as unknown as Fact;
const many = Array.from({ length: NOT_UNDERSTOOD_LIMIT }, (_, index) => strange(100 + index));
const keeping = (notUnderstood: readonly Fact[]) => ({ queue: aQuietQueue({}, { notUnderstood }) });

test('understands commands, the facts of this release, and hints about topics that it can read', () => {
  const understood: readonly Input[] = [submitOf(1), strange(1, 'branch_seen'), noticed('branch')];
  const foreign = [strange(1), strange(1, 'toString'), noticed('weather'), noticed('toString')];

  expect(understood.filter(isUnderstood)).toEqual(understood);
  expect(foreign.filter(isUnderstood)).toEqual([]);
});

describe('a fact that only a newer release understands', () => {
  test('a fact that only a newer release understands is kept in the queue once, and checked again before long', () => {
    const outcome = decided({}, [strange(1), strange(2), strange(1)]);

    expect(outcome.queue.notUnderstood).toEqual([strange(1), strange(2)]);
    expect(outcome.decision.wakeAt).toBe(NOW + REREAD_MS);
  });

  test('a fact that only a newer release understands throws when too many are kept, unless it is kept already', () => {
    expect(decided(keeping(many.slice(0, -1)), many.slice(-1)).queue.notUnderstood).toEqual(many);
    expect(decided(keeping(many), many.slice(-1)).queue.notUnderstood).toEqual(many);
    expect(() => decided(keeping(many), [strange(1)])).toThrow(/Start a replica of that release/);
  });

  test('a fact that only a newer release understands stays unchanged in the row while no replica understands it', () => {
    for (const facts of [[strange(1)], []]) {
      const draft = aDraft(keeping(facts));
      dropUnderstood(draft);

      expect(draft.queue).toBe(draft.before);
    }
  });

  test('a fact that only a newer release understands is dropped once it is understood, and the others stay', () => {
    const hint = noticed('branch');
    const outcome = decided(keeping([strange(1), hint, strange(2)]), [hint]);

    expect(outcome.queue.notUnderstood).toEqual([strange(1), strange(2)]);
    expect(decided(keeping([hint]), [hint]).queue.notUnderstood).toEqual([]);
    expect(decided(keeping([hint]), [hint]).decision.wakeAt).not.toBe(NOW + REREAD_MS);
  });
});

test('a queue without kept facts asks for no other decision', () => {
  expect(decided({}).decision.wakeAt).toBeNull();
});
