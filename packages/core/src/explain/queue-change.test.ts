import { anActor, BUILT_AT } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { Configured } from '../model/history.js';
import { queueChangeSentence } from './queue-change.js';

const row = { sequence: 2, at: BUILT_AT, settingsVersion: 2 } as const;
const configured = (change: Partial<Configured>): string =>
  queueChangeSentence({ ...row, type: 'configured', actor: anActor, settings: {}, wanted: null, ...change });

test.each<[Partial<Configured>, string]>([
  [{ sequence: 1, wanted: 'running' }, 'The queue was created by Ada.'],
  [{}, 'Settings were sent by Ada; none differed.'],
  [{ wanted: 'paused' }, 'The queue was paused by Ada.'],
  [{ wanted: 'draining' }, 'The queue was set draining by Ada.'],
  [
    { settings: { concurrency: 3, requiredStatuses: null } },
    'Set by Ada: concurrency to 3, requiredStatuses to null.',
  ],
  [{ settings: { freezeUntil: 0 } }, 'Set by Ada: freezeUntil to 1970-01-01 00:00:00 UTC.'],
  [
    { wanted: 'running', settings: { batch: true } },
    'The queue was set running by Ada. Set by Ada: batch to true.',
  ],
])('a change %j is shown as a sentence', (change, sentence) => {
  expect(configured(change)).toBe(sentence);
});

test('an alarm says whether the queue paused itself for it', () => {
  const alarm = { ...row, type: 'alarm', code: 'BASE_BROKEN', sentence: 'main fails unit.' } as const;
  expect(queueChangeSentence(alarm)).toBe('Alarm: main fails unit.');
  expect(queueChangeSentence({ ...alarm, pauses: true })).toBe('The queue paused itself: main fails unit.');
});

test('an adaptation is shown by its own sentence', () => {
  const adapted = { ...row, type: 'adapted', what: 'concurrency', from: 2, to: 3 } as const;
  expect(queueChangeSentence({ ...adapted, sentence: 'Raised to 3.' })).toBe('Raised to 3.');
});
