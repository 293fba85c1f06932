import { aSubmission, BUILT_AT } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aDraft, aLanding, aPassed, aQuietQueue, aTestedSubmission } from '../../../test/rules.js';
import { compareInLine } from '../../model/order.js';
import type { Submission } from '../../model/submission.js';
import { defaultPace } from '../draft/context.js';
import { countAhead, isAhead, lineOf } from './line.js';
import { memberOf } from './placement-input.js';

const MINUTE = 60_000;
const orderOf = (...submissions: readonly Submission[]): readonly number[] =>
  [...lineOf(aDraft({ submissions }))].map((submission) => submission.pr);

const waiting = (pr: number, minutes: number, value = 100, override: Partial<Submission> = {}): Submission =>
  aSubmission(pr, { admittedAt: BUILT_AT + minutes * MINUTE, priority: { value, named: true }, ...override });

describe('the line', () => {
  test('contains only admitted submissions', () => {
    expect(orderOf(aSubmission(1, { state: 'not_ready', admittedAt: null }), aSubmission(2))).toEqual([2]);
  });

  test('contains submissions in their present version', () => {
    const one = aSubmission(1);
    const draft = aDraft({ submissions: [one] });
    expect([...lineOf(draft)]).toMatchObject([{ retries: 0 }]);

    draft.change(one, { retries: 1 });

    expect([...lineOf(draft)]).toMatchObject([{ retries: 1 }]);
  });

  test('the line orders waiting pull requests by arrival', () => {
    expect(orderOf(waiting(1, 2), waiting(2, 1), waiting(3, 3))).toEqual([2, 1, 3]);
  });

  test('pull requests that have begun stay ahead of waiting ones, except urgent ones', () => {
    const begun = waiting(1, 9, 200, { place: 2 });
    const urgent = waiting(2, 0, 0);

    expect(orderOf(urgent, begun, waiting(3, 8, 100, { place: 1 }))).toEqual([2, 3, 1]);
  });

  test('urgent pull requests wait ahead of all others, by arrival', () => {
    const skipping = waiting(3, 600, 200, { skipTheLine: true });

    expect(orderOf(waiting(1, 0), waiting(2, 500, 0), skipping)).toEqual([2, 3, 1]);
  });

  test('a high priority overtakes medium ones that arrived up to 90 minutes earlier, and no others', () => {
    expect(orderOf(waiting(1, 0), waiting(2, 89, 10))).toEqual([2, 1]);
    expect(orderOf(waiting(1, 0), waiting(2, 91, 10))).toEqual([1, 2]);
  });

  test('of equal priorities the earlier arrival is first, and within one millisecond the earlier admission', () => {
    expect(orderOf(waiting(1, 90, 10), waiting(2, 0))).toEqual([2, 1]);
    const sameMoment = [
      waiting(3, 0, 100, { admittedRank: 20, submittedRank: 1 }),
      waiting(2, 0, 100, { admittedRank: 10, submittedRank: 3 }),
      waiting(1, 0, 100, { admittedRank: 15, submittedRank: 2 }),
    ];
    expect(orderOf(...sameMoment)).toEqual([2, 1, 3]);
  });
});

const anySubmission = (pr: number) =>
  fc
    .record({
      place: fc.option(fc.integer({ min: 1, max: 9 }).map((n) => n * 100 + pr)),
      admittedAt: fc.integer({ min: BUILT_AT, max: BUILT_AT + 300 * MINUTE }),
      admittedRank: fc.integer({ min: 1, max: 4 }),
      skipTheLine: fc.boolean(),
      priority: fc.record({ value: fc.constantFrom(0, 1, 10, 100, 200, 255), named: fc.constant(true) }),
    })
    .map((part) => aSubmission(pr, part));
const sixSubmissions = fc.tuple(...Array.from({ length: 6 }, (_, index) => anySubmission(index + 1)));
const compare = (one: Submission, other: Submission) =>
  Math.sign(compareInLine(one, other, defaultPace.ageingMsPerPoint));

describe('the order of the line', () => {
  test('the order of the line is total and has no cycles', () => {
    fc.assert(
      fc.property(sixSubmissions, ([a, b, c]) => {
        expect(compare(a!, b!)).not.toBe(0);
        expect(compare(a!, b!)).toBe(-compare(b!, a!));
        if (compare(a!, b!) < 0 && compare(b!, c!) < 0) expect(compare(a!, c!)).toBe(-1);
      }),
    );
  });

  test('of two pull requests does not depend on others, on the time or on how they are stored', () => {
    fc.assert(
      fc.property(sixSubmissions, fc.integer({ min: 0, max: 9e9 }), (all, later) => {
        const line = [...lineOf(aDraft({ submissions: all }, { now: BUILT_AT + later }))].map(
          (one) => one.pr,
        );
        const fewer = [...lineOf(aDraft({ submissions: [...all].reverse().slice(1) }))].map((one) => one.pr);

        expect(line.filter((pr) => fewer.includes(pr))).toEqual(fewer);
      }),
    );
  });

  test('the order of the line compares two pull requests, and counts those ahead, without walking the line', () => {
    const [, run] = aPassed([1]);
    const landed = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { maxLength: 3 });
    fc.assert(
      fc.property(
        sixSubmissions,
        fc.constantFrom('running', 'draining'),
        landed,
        (submissions, wanted, at) => {
          const members = at.map((index) => ({ ...memberOf(submissions[index]!), verifiedBy: run.id }));
          const landing = members.length === 0 ? null : aLanding(run, { members });
          const draft = aDraft({ queue: aQuietQueue({}, { wanted, landing }), submissions });
          const all = [...lineOf(draft)];

          for (const [place, one] of all.entries()) {
            expect(countAhead(draft, one)).toBe(place);
            expect(all.filter((other) => isAhead(draft, other, one))).toEqual(all.slice(0, place));
          }
        },
      ),
    );
  });

  test('no pull request starves: a later one that is not urgent stands behind', () => {
    fc.assert(
      fc.property(anySubmission(1), anySubmission(2), (first, later) => {
        fc.pre(first.place === null && later.place === null);
        const worthMs = Math.max(0, first.priority.value - later.priority.value) * MINUTE;
        const overtakes = compare(later, first) < 0;
        const isLateEnough = later.admittedAt! > first.admittedAt! + worthMs;
        const isOrdinary = !later.skipTheLine && later.priority.value > 0;

        if (isLateEnough && isOrdinary) expect(overtakes).toBe(false);
      }),
    );
  });
});

test('a pull request that is being landed stands ahead of an urgent one', () => {
  const [landed, run] = aPassed([1]);
  const urgent = aTestedSubmission(2, { skipTheLine: true });
  const queue = aQuietQueue({}, { landing: aLanding(run) });
  const draft = aDraft({ queue, submissions: [landed, urgent], runs: [run] });

  expect([isAhead(draft, landed, urgent), isAhead(draft, urgent, landed)]).toEqual([true, false]);
  expect([landed, urgent].map((one) => countAhead(draft, one))).toEqual([0, 1]);
});
