import { anActor } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aDraft, aQuietQueue, configureOf, decided, NOW } from '../../../test/rules.js';
import type { Configure } from '../../model/input.js';
import { type RequestedState, STATUS_SENTENCE_LIMIT } from '../../model/queue.js';
import { pauseFor } from './pause.js';

const stopped = { code: 'BASE_BROKEN', sentence: 'Red.', actor: anActor, at: NOW - 1 } as const;

describe('a queue that has paused itself', () => {
  const draining = { wanted: 'draining', statusReason: null } as const;
  const after = (command: Partial<Configure>, askedFor: RequestedState | null = null) => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason: stopped, askedFor });
    return decided({ queue }, [configureOf(command)]).queue;
  };

  test.each([
    ['a pause without a reason', { wanted: 'paused' }, null, 'paused', 'No reason was given.'],
    ['a reason for the state that was asked for', { stateReason: 'Seen.' }, draining, 'draining', 'Seen.'],
    ['a pause in place of that', { wanted: 'paused' }, draining, 'paused', 'No reason was given.'],
  ] as const)(
    'a queue that has paused itself keeps %s beside its own reason',
    (_what, command, before, wanted, sentence) => {
      const queue = after(command, before);

      expect(queue.statusReason).toEqual(stopped);
      expect(queue.askedFor).toMatchObject({ wanted, statusReason: { code: 'ASKED_FOR', sentence } });
    },
  );

  test('a queue that has paused itself ignores its own reason when that is repeated in a command, and changes of settings alone', () => {
    expect(after({ wanted: 'paused', stateReason: 'Red.' }).askedFor).toBeNull();
    expect(after({ stateReason: 'Red.' }, draining).askedFor).toEqual(draining);
    expect(after({ settings: { concurrency: 7 } }).askedFor).toBeNull();
    const release = { wanted: 'paused', statusReason: { ...stopped, code: 'ASKED_FOR' } } as const;
    expect(after({ wanted: 'paused' }, release).askedFor).toEqual(release);
  });

  test('a queue that has paused itself shows a reason without a status beside its own, without a change of the wanted status', () => {
    const queue = after({ stateReason: 'Ann is on it.' });

    expect(queue.askedFor).toBeNull();
    const sentence = 'Red. Its owner adds: Ann is on it.';
    expect(queue.statusReason).toEqual({ ...stopped, sentence });
    const again = configureOf({ stateReason: 'Ann is on it.' });
    expect(decided({ queue }, [again]).queue.statusReason?.sentence).toBe(sentence);
  });

  test('a queue that has paused itself ignores an earlier version of its own reason that is repeated in a command', () => {
    const statusReason = { ...stopped, sentence: 'Red. Besides: Frozen.' };
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason });
    const writtenBack = configureOf({ wanted: 'paused', stateReason: 'Red.' });

    expect(decided({ queue }, [writtenBack]).queue).toMatchObject({ statusReason, askedFor: null });
  });

  test('a queue that has paused itself shows a broken base first, in place of its earlier reason', () => {
    const frozen = { ...stopped, code: 'HOST_REFUSED', sentence: 'Frozen.' } as const;
    const draft = aDraft({ queue: aQuietQueue({}, { wanted: 'paused', statusReason: frozen }) });

    pauseFor(draft, 'BASE_BROKEN', 'Red.');

    expect(draft.queue.statusReason).toEqual({ ...stopped, sentence: 'Red. Besides: Frozen.' });
  });

  test('a queue that has paused itself keeps what its owner asked for when it finds another reason to pause', () => {
    for (const askedFor of [null, draining]) {
      const queue = aQuietQueue({}, { wanted: 'paused', statusReason: stopped, askedFor });
      const draft = aDraft({ queue });
      pauseFor(draft, 'HOST_REFUSED', 'Frozen.');

      expect(draft.queue.askedFor).toEqual(askedFor);
    }
  });

  test('a queue that has paused itself keeps its reason short enough to be repeated in a command', () => {
    const draft = aDraft({ queue: aQuietQueue() });

    pauseFor(draft, 'HOST_REFUSED', 'x'.repeat(STATUS_SENTENCE_LIMIT + 1));

    expect(draft.queue.statusReason?.sentence.length).toBe(STATUS_SENTENCE_LIMIT);
  });

  test('a queue that has paused itself adds another reason of its own after the first, once', () => {
    const draft = aDraft({ queue: aQuietQueue({}, { wanted: 'paused', statusReason: stopped }) });

    for (const sentence of ['Frozen.', 'Frozen.', 'Red.']) pauseFor(draft, 'HOST_REFUSED', sentence);

    expect(draft.queue.statusReason).toEqual({ ...stopped, sentence: 'Red. Besides: Frozen.' });
    for (let one = 0; one < 100; one += 1) pauseFor(draft, 'HOST_REFUSED', `${one} `.repeat(30));
    expect(draft.queue.statusReason?.sentence.length).toBe(STATUS_SENTENCE_LIMIT);
  });
});

test('a queue that has paused itself keeps its own reason when a pause is asked for, and drops both when it is set running', () => {
  const statusReason = { code: 'BASE_BROKEN', sentence: 'Red.', actor: anActor, at: NOW - 1 } as const;
  const given = { queue: aQuietQueue({}, { wanted: 'paused', statusReason }) };
  const { queue } = decided(given, [configureOf({ wanted: 'paused', stateReason: 'Release.' })]);

  expect(queue).toMatchObject({
    statusReason,
    askedFor: { wanted: 'paused', statusReason: { code: 'ASKED_FOR', sentence: 'Release.' } },
  });
  const writtenBack = configureOf({ wanted: 'paused', stateReason: 'Red.' });
  expect(decided({ queue }, [writtenBack]).queue).toMatchObject({
    statusReason,
    askedFor: { statusReason: { sentence: 'Release.' } },
  });
  expect(decided({ queue }, [configureOf({ wanted: 'running' })]).queue).toMatchObject({
    wanted: 'running',
    askedFor: null,
  });
});
