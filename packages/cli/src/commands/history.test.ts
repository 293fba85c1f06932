import type { Client } from '@mq/client';
import { expect, test } from 'vitest';
import { NOW } from '../../test/answers.js';
import type { Schemas } from '../command.js';
import type { Style } from '../text/style.js';
import { widthOf } from '../text/width.js';
import { eventsIn, history } from './history.js';
import { receiptsVerify } from './receipts-verify.js';

type Entry = Schemas['Attempt']['story'][number];

const style: Style = { width: 80, hasColours: false, now: NOW };
const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();

const entry = (sentence: string, given: Partial<Entry> = {}): Entry => ({
  ...{ timestamp: at(60), state: null, reason: null, testRunId: null, sentence },
  ...given,
});

const attempt = (story: readonly Entry[], sentence = '#1 is live.'): Schemas['Attempt'] => ({
  ...{ attempt: 1, state: 'pending', startedAt: at(60), endedAt: null, sentence, spentMs: {} },
  story: [...story],
});

/** A client whose queue has these stories, and nothing else. */
const clientWith = (stories: Readonly<Record<number, readonly Entry[]>>): Client => {
  const numbers = Object.keys(stories).map(Number);
  const known = {
    pages: async function* (operation: string) {
      if (operation === 'listPullRequests') yield { pullRequests: numbers.map((prNumber) => ({ prNumber })) };
      else yield { changes: [] };
    },
    getSubmittedPullRequest: async ({ pr }: { pr: { number: number } }) => ({
      attempts: [attempt(stories[pr.number] ?? [])],
    }),
  };
  return known as unknown as Client;
};

const queue = { repo: { host: 'local', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };

test('a request comes before its effects in the same instant', async () => {
  const client = clientWith({
    1: [
      entry('Run a of #1 was cancelled.', { testRunId: 'a' }),
      entry('#1 was requeued.', { state: 'pending', testRunId: 'a' }),
    ],
    2: [entry('#2 was submitted.'), entry('#2 joined the queue.', { state: 'pending' })],
  });

  const { events } = await eventsIn(client, queue, { since: at(120) }, new AbortController().signal);

  expect(events.map(({ sentence }) => sentence)).toEqual([
    '#2 was submitted.',
    'Run a of #1 was cancelled.',
    '#1 was requeued.',
    '#2 joined the queue.',
  ]);
});

test('a time without events is named, with its date if it is on another day', () => {
  const said = (since: string | null, until: string | null): string =>
    history.text({ since, until, events: [], isComplete: true }, style).split('\n')[0] ?? '';
  const day = 24 * 60 * 60;

  expect(said(at(day), at(day - 60))).toMatch(
    /^Nothing happened from \d{4}-\d\d-\d\d [\d:]{8} to \d{4}-\d\d-\d\d [\d:]{8}\.$/,
  );
  expect(said(at(1), null)).toMatch(/^Nothing happened since [\d:]{8}\.$/);
  expect(said(null, at(1))).toMatch(/^Nothing happened until [\d:]{8}\.$/);
});

test('a story and a report of receipts have no line wider than the terminal', () => {
  const long = '#1 failed after 1 min: A required check failed (unit: It ended with exit code 1). '.repeat(2);
  const report = `  ✖ COMMIT_MISSING  Receipt 1 (#15): there is no commit ${'a'.repeat(40)}.`;
  const texts = [
    history.text({ attempts: [attempt([entry(long)], long)] }, style),
    receiptsVerify.text({ ok: false, chains: [], report }, style),
  ];

  for (const line of texts.join('\n').split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(80);
});
