import { describe, expect, test } from 'vitest';
import { found, NOW, queue } from '../../test/answers.js';
import { submittedText } from '../commands/submit.js';
import { changes, frame } from '../commands/watch.js';
import { aheadOf } from './ahead.js';
import { jsonText, plain, plainIn } from './plain.js';
import { queueTable, statusText, whyText } from './pull-request.js';
import { queueLines } from './queue.js';
import type { Style } from './style.js';
import { clock, duration, durationIn, instantIn } from './time.js';
import { cut, widthOf, wrapped } from './width.js';

const untested = { testedOnTopOf: null, testedWith: null, testedCommit: null, ahead: [] };
const style = (width: number, hasColours = false): Style => ({ width, hasColours, now: NOW });

const linesOf = (text: string): readonly string[] => text.split('\n');

describe('text of others', () => {
  test.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['the title of the window', '\u001b]0;evil\u0007safe', 'safe'],
    ['a move of the cursor', 'a\u001b[2K\u001b[1Ab', 'ab'],
    ['a carriage return that hides what stood there', 'failed\rmerged', 'failedmerged'],
    ['C1 controls', 'a\u009b31mb', 'ab'],
    ['signs that turn the direction around', 'a\u202eb\u2066c\u200b', 'abc'],
  ])('text of others loses %s', (_, text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  test('text of others keeps its lines, its tabs and every script', () => {
    expect(plain('one\r\n\ttwo 統合 ¡olé! 🎉')).toBe('one\n\ttwo 統合 ¡olé! 🎉');
  });

  test('text of others is cleaned everywhere in an answer', () => {
    expect(plainIn({ a: ['\u001b[31mx'], 'b\u0007': { c: 'y\u0000' }, n: 1, z: null })).toEqual({
      a: ['x'],
      b: { c: 'y' },
      n: 1,
      z: null,
    });
  });

  test('text of others is escaped in JSON, without a difference for programs', () => {
    const text = jsonText({ a: 'x\u009b\u202e\u001b[31m' });

    expect(text).toBe('{"a":"x\\u009b\\u202e\\u001b[31m"}');
    expect(JSON.parse(text)).toEqual({ a: 'x\u009b\u202e\u001b[31m' });
  });
});

describe('widths', () => {
  test('widths count wide signs twice', () => {
    expect(['abc', '統合', '🎉', 'é'].map(widthOf)).toEqual([3, 4, 2, 1]);
  });

  test('widths cut between signs, with an ellipsis', () => {
    expect(cut('統合統合', 5)).toBe('統合…');
    expect(cut('short', 10)).toBe('short');
  });

  test('widths break lines between words, and keep the indentation', () => {
    expect(wrapped('  → one two three', 11, '    ')).toBe('  → one two\n    three');
  });
});

describe.each([80, 200])('in a terminal of %d columns', (width) => {
  const long = 'It waits for the code host, which has not said yet whether it can be merged. '.repeat(4);
  const prs = [
    { prNumber: 39, state: 'testing' as const },
    { prNumber: 40, prTitle: long, prAuthor: 'a'.repeat(60) },
    { waitingFor: { code: 'x', sentence: long, behindPr: null, until: null } },
    { prTitle: '統合'.repeat(80) },
  ];

  test('no line of the queue is longer', () => {
    const lines = linesOf(queueTable(queue(prs), style(width)));

    expect(lines).toHaveLength(5);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
  });

  test('the queue shows position, number, state, author, time and reason', () => {
    const [titles = '', first = ''] = linesOf(queueTable(queue(prs), style(width)));

    expect(titles).toMatch(/PR +STATE +BY +SINCE .*WHY/);
    expect(first).toMatch(/^1 +#39 +testing +ada +6 min .*#41 waits for a test slot/);
    expect(titles.includes('TITLE')).toBe(width === 200);
  });

  test('status and reason of a pull request fit', () => {
    for (const text of [
      statusText(found({ prTitle: long }), style(width)),
      whyText({ ...found(), ...untested }, style(width)),
    ])
      expect(Math.max(...linesOf(text).map(widthOf))).toBeLessThanOrEqual(width);
  });

  test('a screen has at most as many lines as the terminal, and says how many are left out', () => {
    const many = queue(Array.from({ length: 50 }, (_, index) => ({ prNumber: index + 1 })));
    const lines = linesOf(frame(many, style(width), 'acme/widgets · main', 'live', 20));

    expect(lines).toHaveLength(19);
    expect(lines.at(-1)).toMatch(/^… \d+ more$/);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
  });
});

describe('a pull request', () => {
  test('a pull request that was merged shows its commit, what was tested, and no next step', () => {
    const merged = (testedCommit: string | null) => ({
      ...found({ state: 'merged', landedCommit: 'c1', verifiedByTestRun: 'run-7', position: null }),
      ...{ testedOnTopOf: [39], testedWith: [41], testedCommit, ahead: [], remedy: '#41 is merged.' },
    });

    for (const text of [whyText(merged('c1'), style(100)), statusText(merged('c1'), style(100))])
      expect(text).toContain(
        'Merged as c1, the commit that was tested.\nTested on top of #39, in test run run-7.',
      );
    expect(statusText(merged('c2'), style(100))).toContain('Merged as c1; tested as c2.');
    expect(statusText(merged(null), style(100))).toContain('Merged as c1.');
    expect(whyText(merged('c1'), style(100))).not.toContain('What helps');
  });

  test('a pull request that has ended shows neither that its queue is paused nor how to move it forward', () => {
    const ended = { ...found({ state: 'merged', position: null, queueState: 'paused' }), ...untested };
    const waiting = { ...found({ queueState: 'paused' }), ...untested };

    expect(whyText(ended, style(100))).not.toMatch(/is paused|mq priority/);
    expect(whyText(waiting, style(100))).toMatch(/The queue is paused.*mq priority 41 high/s);
  });

  test.each([
    ['turn', /mq priority 41 high/],
    ['impacted_targets', /mq targets set 41/],
    ['queue_paused', /mq queue resume/],
    ['checks', /mq history 41 {2}what has happened to it$/],
  ] as const)('a pull request that waits for %s names the command that helps', (code, command) => {
    const waitingFor = { ...found().waitingFor!, code };
    expect(whyText({ ...found({ waitingFor }), ...untested }, style(100))).toMatch(command);
  });

  test('a queue shows the reason of its state with one full stop', () => {
    const stateReason = {
      code: 'ASKED_FOR',
      sentence: 'It was set running.',
      at: new Date(NOW).toISOString(),
    };
    const running = { ...queue([]), stateReason: { ...stateReason, actor: { kind: 'api', name: 'ada' } } };
    expect(queueLines(running, style(200))).toEqual([
      'Running since 0 s, by ada: It was set running. parallel, 2 test slots, squash.',
    ]);
  });

  test('a pull request shows why others are before it', () => {
    const { enqueuedPullRequests } = queue([
      { prNumber: 8, state: 'testing' },
      { prNumber: 9, state: 'tests_passed' },
      { prNumber: 10, priorityName: 'urgent', priorityValue: 0, skipTheLine: true },
      { prNumber: 13, priorityName: 'high', priorityValue: 10 },
      { prNumber: 11 },
      { prNumber: 41 },
    ]);
    const ahead = aheadOf(41, enqueuedPullRequests);

    expect(whyText({ ...found(), ...untested, ahead }, style(200))).toContain(
      'Before it in the queue: #8, #9 (under test already), #10 (urgent), #13 (priority high), #11 (came earlier).',
    );
    expect(aheadOf(8, enqueuedPullRequests)).toEqual([]);
    expect(aheadOf(99, enqueuedPullRequests)).toEqual([]);
    expect(queueTable(queue(enqueuedPullRequests), style(100))).toContain('PRIORITY');
    expect(queueTable(queue([{}]), style(100))).not.toContain('PRIORITY');
  });

  test.each([
    ['high', 10, 'priority high'],
    ['high', 9, 'priority high 9'],
    ['medium', 12, 'priority medium 12'],
    ['low', 255, 'priority low 255'],
  ] as const)(
    'a pull request of class %s and value %d shows %s wherever its priority is shown',
    (priorityName, priorityValue, shown) => {
      const pull = found({ prNumber: 12, priorityName, priorityValue });
      const { enqueuedPullRequests } = queue([
        pull,
        { prNumber: 41, priorityName: 'low', priorityValue: 256 },
      ]);

      expect(statusText(pull, style(100))).toMatch(new RegExp(`${shown}$`, 'm'));
      expect(whyText({ ...pull, ...untested }, style(100))).toMatch(new RegExp(`${shown}$`, 'm'));
      expect(submittedText(pull, style(100))).toContain(`(${shown}).`);
      expect(aheadOf(41, enqueuedPullRequests)).toEqual([{ prNumber: 12, why: shown }]);
      const [titles, row] = linesOf(queueTable(queue([pull]), style(200)));
      expect(titles).toContain('PRIORITY');
      expect(row).toContain(` ${shown.replace('priority ', '')} `);
    },
  );

  test('a pull request of the default priority does not show it', () => {
    expect(statusText(found(), style(100))).not.toContain('priority');
  });

  test('a pull request leaves room for words beside the id of its test run', () => {
    const sentence = '#41 is in test run fda66600-e91c-4f8e-91f4-f57c75370002: check unit is queued.';
    const waitingFor = { ...found().waitingFor!, sentence };

    expect(statusText(found({ waitingFor }), style(100))).toContain('in test run fda66600…0002: check unit');
  });

  test('a pull request is explained from its nearest cause to the last, with the remedy', () => {
    const text = whyText({ ...found(), ...untested }, style(100));

    expect(text).toContain('→ #41 waits for a test slot');
    expect(text).toContain('\n  → #39 is in test run 3f2a91c0');
    expect(text).toContain('Position 3, 2 to merge before it.');
    expect(text).toContain('What helps: To start it sooner, raise concurrency (now 2).');
    expect(text).toContain('https://example.com/41');
  });

  test('a pull request that is tested shows on top of which others, and one that waits has no log', () => {
    const tested = {
      ...found({ state: 'testing', testRunId: 'run-7' }),
      ...untested,
      testedOnTopOf: [39, 40],
      testedWith: [41],
    };

    expect(whyText(tested, style(100))).toContain('Tested on top of #39, #40, in test run run-7.');
    expect(whyText(tested, style(100))).toContain('mq log 41');
    expect(whyText({ ...tested, testedOnTopOf: [] }, style(100))).toContain('on the target branch alone');
    expect(whyText({ ...tested, testedOnTopOf: [], testedWith: [41, 42] }, style(100))).toContain(
      'Tested on the target branch alone, in a batch of #41, #42, in test run',
    );
    expect(whyText({ ...found(), ...untested }, style(100))).not.toContain('mq log');
  });

  test('a pull request that failed shows the check, and on top of which others it was tested', () => {
    const { waitingFor: _, ...ended } = found({
      state: 'failed',
      failure: {
        testRunId: 'run-7',
        failingChecks: [
          {
            name: 'unit',
            source: 'ci',
            url: 'https://ci.example/7',
            conclusion: 'FAILURE',
            summary: '2 of 90 tests failed',
          },
        ],
        testedWith: [41],
        testedOnTopOf: [39, 40],
      },
      position: null,
    });

    expect(statusText(ended, style(200))).toContain(
      'Failed in test run run-7, on top of #39, #40:\n  ✖ unit: failure  2 of 90 tests failed  https://ci.example/7',
    );
  });

  test('a pull request shows when it is expected to merge', () => {
    const text = statusText(
      found({
        estimatedTimeToMerge: {
          status: 'available',
          kind: 'merge',
          expectedMergeAt: new Date(NOW + 6 * 60_000).toISOString(),
          pessimisticMergeAt: new Date(NOW + 65 * 60_000).toISOString(),
          expectedResolutionAt: null,
          expectedTestStartAt: null,
          expectedTestEndAt: null,
          waitingBehind: 2,
          basedOnRuns: 90,
        },
      }),
      style(200),
    );

    expect(text).toMatch(
      /Expected to merge in 6 min \(.*\), at the latest in 1 h 5 min \(.*\), if all tests pass\./,
    );
  });

  test('a pull request is coloured only if colours are wanted', () => {
    expect(statusText(found({ state: 'failed' }), style(80))).not.toContain('\u001b');
    expect(statusText(found({ state: 'failed' }), style(80, true))).toContain('\u001b[31mfailed\u001b[39m');
  });
});

test('what has changed is one line for each pull request, also for those that have left', () => {
  const before = queue([{ prNumber: 39 }, { prNumber: 40 }]);
  const after = queue([{ prNumber: 40, state: 'testing' }]);

  expect(changes(null, before)).toHaveLength(2);
  expect(changes(before, before)).toEqual([]);
  expect(changes(before, after)).toEqual([expect.stringMatching(/^#40 testing: /), '#39 has left the queue']);
});

describe('times', () => {
  test.each([
    [4_000, '4 s'],
    [360_000, '6 min'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 s'],
  ])('times of %d ms are read as %s', (ms, expected) => {
    expect(duration(ms)).toBe(expected);
  });

  test.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0', 0],
    ['2', null],
    ['-2h', null],
    ['2w', null],
  ])('times are given as %s', (text, expected) => {
    expect(durationIn(text)).toBe(expected);
  });

  test('an instant is read relative to now, as a time of day, and from ISO text', () => {
    expect(instantIn('5m', NOW)).toBe('2026-05-04T14:10:00.000Z');
    expect(instantIn('5m', NOW, -1)).toBe('2026-05-04T14:00:00.000Z');
    expect(clock(instantIn('09:30', NOW, -1) ?? '', NOW)).toBe('09:30:00');
    expect(instantIn('2026-05-04T14:05:00Z', NOW)).toBe('2026-05-04T14:05:00.000Z');
    expect(instantIn('soon', NOW)).toBeNull();
    expect(instantIn('25:70', NOW)).toBeNull();
  });

  test('a time of day is the last one before now for a past event, and the next one for a future event', () => {
    const at = (hours: number) => new Date(NOW).setHours(hours, 0, 0, 0);

    expect(instantIn('23:00', at(1), -1)).toBe(new Date(at(23) - 24 * 3_600_000).toISOString());
    expect(instantIn('01:00', at(23), -1)).toBe(new Date(at(1)).toISOString());
    expect(instantIn('23:00', at(1))).toBe(new Date(at(23)).toISOString());
    expect(instantIn('01:00', at(23))).toBe(new Date(at(1) + 24 * 3_600_000).toISOString());
  });
});
