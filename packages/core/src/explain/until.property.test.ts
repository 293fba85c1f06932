import { expect, test } from 'vitest';
import { walks } from '../../test/walks.js';
import { isFresh } from '../decide/testing/schedule.js';
import { freeSlots } from '../decide/testing/slots.js';
import { explain } from './explain.js';

test('whatever happened, the time until which somebody waits at the latest is to come, and the queue decides by then', () => {
  walks(({ walk, draft }) => {
    for (const submission of draft.liveSubmissions())
      for (const { untilAt, sentence } of explain(draft, submission)?.causes ?? []) {
        if (untilAt === null) continue;
        expect(untilAt, sentence).toBeGreaterThan(walk.now);
        // Where the target is read first, or a slot is waited for besides, something else comes before.
        if (isFresh(draft) && freeSlots(draft) > 0)
          expect(walk.lastWake ?? Number.POSITIVE_INFINITY, sentence).toBeLessThanOrEqual(untilAt);
      }
  }, 100);
}, 600_000);
