import { expect, test } from 'vitest';
import { paths, usedBrowser, violationsOf } from './browser.js';
import { SEEN_MS, shownView } from './checks.js';

const { serve, open } = usedBrowser();
const REFUSED = { status: 401, code: 'UNAUTHORIZED', detail: 'The token is missing or not valid.' };
const REFUSALS = /status of 40[13]/;

test('without a token the page asks for one, keeps it for the tab, and sends it in a header only', async () => {
  const server = await serve();
  server.refusals.getQueueSnapshot = REFUSED;
  const page = await open(server, paths.pull, { token: null, expectedErrors: REFUSALS });
  await page.getByLabel('Token').waitFor({ timeout: SEEN_MS });
  expect(await violationsOf(page)).toEqual([]);
  const headers = page.waitForRequest('**/v1/whoami').then((request) => request.headers());
  server.refusals = {};
  await page.getByLabel('Token').fill('mqt_secret');
  await page.keyboard.press('Enter');
  await shownView(page, 'pull');
  expect((await headers)['x-api-token']).toBe('mqt_secret');
  expect(page.url()).not.toContain('mqt_secret');
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  server.refusals.getQueueSnapshot = REFUSED;
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a token that the server does not accept is refused with a reason', async () => {
  const server = await serve();
  server.refusals.whoami = REFUSED;
  server.refusals.getQueueSnapshot = REFUSED;
  const page = await open(server, paths.queue, { token: null, expectedErrors: REFUSALS });
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('does not accept this token').waitFor({ timeout: SEEN_MS });
});

test('a token that expires while the page is open leads to the sign-in, with the reason', async () => {
  const server = await serve();
  const page = await open(server, paths.queue, { expectedErrors: REFUSALS });
  await shownView(page, 'queue');
  for (const operation of ['whoami', 'getQueueSnapshot', 'events'] as const)
    server.refusals[operation] = REFUSED;
  server.emit();
  await page.getByRole('alert').getByText('no longer valid').waitFor({ timeout: SEEN_MS });
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a token that only reads is offered no command', async () => {
  const server = await serve();
  server.scopes = ['read'];
  const page = await open(server, paths.queue);
  await page.getByText('You may only read.').waitFor({ timeout: SEEN_MS });
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  await page.goto(`${server.url}${paths.pull}`);
  await shownView(page, 'pull');
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  await page.goto(`${server.url}${paths.settings}`);
  await page.getByText('You may read these settings, not change them.').waitFor({ timeout: SEEN_MS });
  expect(await page.getByLabel('concurrency', { exact: true }).isDisabled()).toBe(true);
});

test('a token without the right to read sees which right is missing', async () => {
  const server = await serve();
  server.scopes = ['submit'];
  const detail = 'This needs the scope read.';
  server.refusals.getQueueSnapshot = { status: 403, code: 'SCOPE_MISSING', detail };
  server.refusals.events = { status: 403, code: 'SCOPE_MISSING', detail };
  const page = await open(server, paths.queue, { expectedErrors: REFUSALS });
  await page.getByText('Your token may not see this.').waitFor({ timeout: SEEN_MS });
  expect(await page.getByText(detail).count()).toBe(1);
});

test('a queue that is open to everyone is shown without a token, and the rest asks for one', async () => {
  const server = await serve();
  server.refusals.whoami = REFUSED;
  server.refusals.listQueues = REFUSED;
  server.refusals.getSubmittedPullRequest = REFUSED;
  server.answers.getPullRequestTimeline = (body) => ({
    timeline: [],
    attempts: server.foundPull(body).attempts ?? [],
  });
  const page = await open(server, paths.queue, { token: null, expectedErrors: REFUSALS });
  await shownView(page, 'queue');
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  expect(server.asked.some(({ operation }) => operation === 'whoami')).toBe(false);
  await page.getByRole('link', { name: /^#42 Speed/ }).click();
  await page.getByRole('region', { name: 'Where it stands' }).waitFor({ timeout: SEEN_MS });
  await page.getByText('Submitted by ada.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Queues' }).click();
  await page.getByLabel('Token').waitFor({ timeout: SEEN_MS });
});

test('a queue that is not open asks for a token at its own address', async () => {
  const server = await serve();
  server.refusals.getQueueSnapshot = REFUSED;
  const page = await open(server, paths.queue, { token: null, expectedErrors: REFUSALS });
  await page.getByLabel('Token').waitFor({ timeout: SEEN_MS });
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('the link of a start signs in once, and its code leaves the address', async () => {
  const server = await serve();
  server.linkCode = 'AbCdEfGhIjKlMnOpQrStUv';
  const page = await open(server, `${paths.queue}#code=${server.linkCode}`, { token: null });
  await shownView(page, 'queue');
  expect(page.url()).toBe(`${server.url}${paths.queue}`);
  expect(await page.evaluate('sessionStorage.getItem("mq-token")')).toBe('token-of-the-link');
});

test('a link that was used asks for a token, with the reason', async () => {
  const server = await serve();
  const path = `${paths.queues}#code=AbCdEfGhIjKlMnOpQrStUv`;
  const page = await open(server, path, { token: null, expectedErrors: REFUSALS });
  await page.getByRole('alert').getByText('This link was used').waitFor({ timeout: SEEN_MS });
  expect(page.url()).toBe(`${server.url}/`);
});

test('the link of a start signs in to a page below a path', async () => {
  const server = await serve(undefined, '/tools/queue');
  server.linkCode = 'AbCdEfGhIjKlMnOpQrStUv';
  const page = await open(server, `${paths.queue}#code=${server.linkCode}`, { token: null });
  await shownView(page, 'queue');
  expect(page.url()).toBe(`${server.url}${paths.queue}`);
  await page.getByRole('link', { name: /^#42 Speed/ }).click();
  await shownView(page, 'pull');
  expect(page.url()).toBe(`${server.url}${paths.pull}`);
});
