import { expect, test } from 'vitest';
import { paths, usedBrowser, violationsOf } from './browser.js';
import { SEEN_MS } from './checks.js';
import { queueRef } from './fixtures.js';
import type { StubServer } from './stub-server.js';

const { serve, open } = usedBrowser();
const nothing = {
  refusal: null,
  started: [],
  startedCount: 0,
  cancelled: [],
  cancelledCount: 0,
  ciMinutesLost: 0,
  moves: [],
  movesCount: 0,
  positions: [],
  positionsCount: 0,
  merges: [],
};
const lastOf = (server: StubServer, operation: string) =>
  server.asked.findLast((asked) => asked.operation === operation)?.body;

test('a pause shows what it would do, and sends its reason', async () => {
  const server = await serve();
  server.answers.preview = () => ({ ...nothing, ciMinutesLost: 3, cancelledCount: 2 });
  server.answers.updateQueue = () => ({ ...server.queues[0]!, landingUnderWay: false });
  const page = await open(server, paths.queue);
  await page.getByRole('button', { name: 'Pause the queue' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause the queue' });
  await dialog.getByLabel(/Reason/).fill('broken runners');
  await dialog.getByText('2 test runs would be cancelled').waitFor({ timeout: SEEN_MS });
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(lastOf(server, 'updateQueue')).toEqual({
    ...queueRef,
    state: 'paused',
    stateReason: 'broken runners',
  });
  expect(await page.evaluate('document.activeElement.textContent')).toContain('Pause');
});

test('a command that would be refused says why, and cannot be sent', async () => {
  const server = await serve();
  server.answers.preview = () => ({
    ...nothing,
    refusal: { code: 'X', detail: '#42 has no test run to restart.' },
  });
  const page = await open(server, paths.pull);
  await page.getByRole('button', { name: 'Restart tests' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('#42 has no test run to restart.').waitFor({ timeout: SEEN_MS });
  expect(await dialog.getByRole('button', { name: 'Restart tests' }).isDisabled()).toBe(true);
});

test('a command that fails keeps its dialog open and says why', async () => {
  const server = await serve();
  server.refusals.cancelPullRequest = {
    status: 409,
    code: 'LANDING_UNDER_WAY',
    detail: '#42 is being merged.',
  };
  const page = await open(server, paths.pull, { expectedErrors: /status of 409/ });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Take it out of the queue' }).click();
  await page.getByRole('alert').getByText('#42 is being merged.').waitFor({ timeout: SEEN_MS });
});

test('another priority is previewed and sent with the number', async () => {
  const server = await serve();
  server.answers.submitPullRequest = (body) => server.foundPull(body);
  const page = await open(server, paths.pull);
  await page.getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('combobox', { name: 'Priority' }).selectOption('urgent');
  await page.getByText('No test run and no other pull request is affected.').waitFor({ timeout: SEEN_MS });
  expect(lastOf(server, 'preview')).toMatchObject({ operation: 'submitPullRequest', priority: 'urgent' });
  await page.getByRole('button', { name: 'Set priority' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(lastOf(server, 'submitPullRequest')).toEqual({
    ...queueRef,
    pr: { number: 42 },
    priority: 'urgent',
  });
});

test('changed settings are shown as a difference and sent alone', async () => {
  const server = await serve();
  server.answers.updateQueue = () => ({ ...server.queues[0]!, landingUnderWay: false });
  const page = await open(server, paths.settings);
  await page.getByLabel('concurrency', { exact: true }).fill('9');
  await page.getByLabel('batch', { exact: true }).uncheck();
  await page.getByText('2 changes').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  const changes = page.getByRole('table', { name: 'Changes' });
  expect(await changes.getByRole('row').allTextContents()).toEqual([
    'SettingNowThen',
    'concurrency49',
    'batchtruefalse',
  ]);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(lastOf(server, 'updateQueue')).toEqual({ ...queueRef, concurrency: 9, batch: false });
});
