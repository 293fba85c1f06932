import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { errorsOf, paths, shownLine, type View, violationsOf } from './browser.js';
import { aPull, foundPull } from './fixtures.js';
import type { StubServer } from './stub-server.js';

/** The checks of the suite on a served and opened page; a planted fault makes one of them reject. */
export interface Parts {
  readonly server: StubServer;
  readonly open: (path: string) => Promise<Page>;
}

/** How long a change may take to be shown: a second until it is read, plus the delays of a busy machine. */
export const SEEN_MS = 8_000;

const HOSTILE = '<img src=x onerror="window.hacked=1"><b>bold</b>';

/** Text of pull requests, branches, authors and logs is shown as text, whatever is in it. */
export const showsHostileTextAsText = async ({ server, open }: Parts, view: View): Promise<void> => {
  const pull = aPull(42, { prTitle: HOSTILE, prAuthor: HOSTILE, prUrl: 'javascript:window.hacked=1' });
  server.queues = server.queues.map((queue) => ({
    ...queue,
    state: 'paused',
    stateReason: {
      code: 'PAUSED',
      sentence: HOSTILE,
      actor: { kind: 'api', name: HOSTILE },
      at: '2026-11-26T14:00:00.000Z',
    },
  }));
  server.line = {
    ...server.line,
    enqueued: [pull],
    runs: server.line.runs.map((run) => ({
      ...run,
      explanation: HOSTILE,
      testedPullRequests: [{ prNumber: 42 }],
      checkSuites: run.checkSuites.map((suite) => ({
        ...suite,
        checkRuns: suite.checkRuns.map((check) => ({
          ...check,
          name: HOSTILE,
          summary: HOSTILE,
          url: 'javascript:window.hacked=1',
        })),
      })),
    })),
    ended: (server.line.ended ?? []).map((one) => ({ ...one, prTitle: HOSTILE, prAuthor: HOSTILE })),
  };
  server.answers.getSubmittedPullRequest = () =>
    foundPull(pull, { remedy: HOSTILE, reason: { code: 'X', sentence: HOSTILE, detail: HOSTILE } });
  const page = await open(paths[view]);
  await page.getByText(HOSTILE).first().waitFor({ timeout: SEEN_MS });
  expect(await page.locator('main img, main b').count()).toBe(0);
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(errorsOf(page)).toEqual([]);
};

/** Text in settings is shown as text: in the fields, and in the difference that a change makes. */
export const showsHostileSettingsAsText = async ({ server, open }: Parts): Promise<void> => {
  server.queues = server.queues.map((queue) => ({
    ...queue,
    state: 'paused',
    stateReason: {
      code: 'PAUSED',
      sentence: HOSTILE,
      actor: { kind: 'api', name: HOSTILE },
      at: queue.createdAt,
    },
    enqueueingLabel: HOSTILE,
    requiredStatuses: [HOSTILE, `second ${HOSTILE}`],
    allowedBotSubmitters: [HOSTILE],
    batchingRules: [{ targetPattern: HOSTILE, policy: 'isolate' }],
  }));
  const page = await open(paths.settings);
  const names = ['enqueueingLabel', 'requiredStatuses', 'allowedBotSubmitters', 'batchingRules'];
  for (const name of names) {
    const field = page.getByLabel(name, { exact: true });
    await field.waitFor({ timeout: SEEN_MS });
    expect(await field.inputValue()).toContain(HOSTILE);
    await field.fill(`${HOSTILE} and more`);
  }
  await page.getByRole('button', { name: 'Review' }).click();
  const changes = page.getByRole('table', { name: 'Changes' });
  await changes.getByText(`${HOSTILE} and more`).first().waitFor({ timeout: SEEN_MS });
  expect(await changes.getByText(HOSTILE).count()).toBe(2 * names.length);
  expect(await page.locator('main img, main b, dialog img, dialog b').count()).toBe(0);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(errorsOf(page)).toEqual([]);
};

/** A change is shown by itself. */
export const showsChangesLive = async ({ server, open }: Parts): Promise<void> => {
  server.line = { ...server.line, runs: [] };
  const page = await open(paths.queue);
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  await addPull(server, page, 'Added while you look');
};

const addPull = async (server: StubServer, page: Page, title: string): Promise<void> => {
  const { enqueued } = server.line;
  server.line = {
    ...server.line,
    runs: [],
    enqueued: [...enqueued, aPull(900 + enqueued.length, { prTitle: title })],
  };
  server.emit();
  await page.getByText(title).waitFor({ timeout: SEEN_MS });
};

/** Changes while the server was away are shown when it is back, without an event about them. */
export const catchesUpAfterAnOutage = async ({ server, open }: Parts): Promise<void> => {
  server.line = { ...server.line, runs: [] };
  const page = await open(paths.queue);
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  await server.stop();
  await page.getByText('Not connected').waitFor({ timeout: SEEN_MS });
  server.line = {
    ...server.line,
    enqueued: [...server.line.enqueued, aPull(901, { prTitle: 'Came meanwhile' })],
  };
  await server.start();
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 20_000 });
  await page.getByText('Came meanwhile').waitFor({ timeout: SEEN_MS });
  await addPull(server, page, 'Came afterwards');
};

/** The view is complete, and axe finds nothing. */
export const isAccessible = async ({ open }: Parts, view: View): Promise<void> => {
  const page = await open(paths[view]);
  await shownView(page, view);
  expect(await violationsOf(page)).toEqual([]);
};

/** Resolves when the main content of the view is shown. */
export const shownView = async (page: Page, view: View): Promise<void> => {
  const what = {
    queues: page.getByRole('table', { name: 'Queues' }),
    queue: shownLine(page),
    pull: page.getByRole('region', { name: 'Where it stands' }),
    history: page.getByRole('table', { name: 'Pull requests that left the queue' }),
    settings: page.getByLabel('concurrency', { exact: true }),
  }[view];
  await what.waitFor({ timeout: SEEN_MS });
  if (view === 'history') {
    await page.getByText(/pull requests? in line, /).waitFor({ timeout: SEEN_MS });
    await page.getByRole('table', { name: 'Checks that fail' }).waitFor({ timeout: SEEN_MS });
  }
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
};
