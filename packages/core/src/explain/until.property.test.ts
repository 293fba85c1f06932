import { expect, test } from 'vitest';
import { walks } from '../../test/walks.js';
import { isFresh } from '../decide/testing/schedule.js';
import { freeSlots } from '../decide/testing/slots.js';
import { explain } from './explain.js';

test('in any history, the time of a wait is in the future, and the queue decides by then', () => {
  walks(({ walk, draft }) => {
    for (const submission of draft.liveSubmissions())
      for (const { untilAt, sentence } of explain(draft, submission)?.causes ?? []) {
        if (untilAt === null) continue;
        expect(untilAt, sentence).toBeGreaterThan(walk.now);
        // An earlier step comes first if the target has to be read, or a slot is awaited too.
        if (isFresh(draft) && freeSlots(draft) > 0)
          expect(walk.lastWake ?? Number.POSITIVE_INFINITY, sentence).toBeLessThanOrEqual(untilAt);
      }
  }, 100);
}, 600_000);
