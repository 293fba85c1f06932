import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aContext } from '../../test/rules.js';
import { Walk } from '../../test/walk.js';
import { steps } from '../../test/walk-steps.js';
import { Draft } from '../decide/draft/draft.js';
import type { QueueSettings } from '../model/settings.js';
import { CAUSES_LIMIT, type Waiting } from '../model/view.js';
import { waits } from '../model/waits.js';
import { explain } from './explain.js';

const SENTENCE_CHARS_LIMIT = 1_000;

const settings = fc.record<Partial<QueueSettings>>({
  concurrency: fc.integer({ min: 1, max: 3 }),
  mode: fc.constantFrom('single', 'parallel'),
  batch: fc.boolean(),
  batchingMinSize: fc.constantFrom(2, 4),
  pendingFailureDepth: fc.constantFrom(0, 2),
  canOptimisticallyMerge: fc.boolean(),
  confirmBeforeFailing: fc.boolean(),
  bisectionConcurrency: fc.constantFrom(null, 1),
});

/** Walks for that many decisions; `check` sees every wait after each of them, at once and `later` ms later. */
const walks = (check: (waiting: Waiting, pr: number, walk: Walk) => void, laterMs: readonly number[]): void =>
  fc.assert(
    fc.property(steps, settings, fc.constantFrom(...laterMs), (taken, given, later) => {
      const walk = new Walk(given);
      for (const { take } of taken) {
        walk.decide(...take(walk));
        const draft = new Draft(walk.state, aContext({ now: walk.now + later }));
        for (const submission of draft.liveSubmissions()) {
          const waiting = explain(draft, submission);
          if (waiting === null) throw new Error(`#${submission.pr} has no wait`);
          check(waiting, submission.pr, walk);
        }
      }
    }),
    { numRuns: 60 },
  );

describe('any history', () => {
  test('every wait is a chain of bounded length, without a circle, in whole sentences', () => {
    walks(
      ({ causes, code, sentence, remedy, untilAt }) => {
        const [nearest] = causes;
        expect(nearest?.code).toBe(code);
        expect(untilAt).toBe(causes.find((one) => one.untilAt !== null)?.untilAt ?? null);
        expect(sentence.startsWith(nearest?.sentence ?? '?')).toBe(true);
        expect(causes.length).toBeLessThanOrEqual(CAUSES_LIMIT);
        expect(new Set(causes.map((one) => one.sentence)).size).toBe(causes.length);
        for (const text of [remedy, ...causes.map((one) => one.sentence)]) {
          expect(text).toMatch(/^[^{}]+\.$/);
          expect(text).not.toMatch(/undefined|null|NaN| {2}|,\.|\.\./);
          expect(text.length).toBeLessThanOrEqual(SENTENCE_CHARS_LIMIT);
        }
      },
      [0, 1_000, 3_700_000],
    );
  }, 600_000);

  test('a chain ends with a cause that is not the wait of another pull request', () => {
    walks(
      ({ causes }) => expect(waits[causes.at(-1)?.code ?? 'turn'].chain).not.toBe('goes_on'),
      [0, 3_700_000],
    );
  }, 600_000);

  test('right after a decision every waiting pull request has a cause that blocks it', () => {
    walks(
      ({ causes }, _pr, walk) => {
        if (walk.lastWake === null || walk.lastWake > walk.now)
          expect(causes.map(({ code }) => code)).not.toContain('decision');
      },
      [0],
    );
  }, 600_000);
});
