import { anActor } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aQuietQueue, configureOf, decided, NOW } from '../../test/rules.js';

test('a pause that is asked for keeps what the queue has stopped for by itself, and running forgets both', () => {
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
