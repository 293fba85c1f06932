import { expect, test } from 'vitest';
import { paths, usedBrowser } from './browser.js';
import { SEEN_MS, shownView } from './checks.js';
import { aQueue } from './fixtures.js';
import type { StubServer } from './stub-server.js';

const { serve, open } = usedBrowser();
const REFUSALS = /status of 404/;

/** Knows these queues alone. */
const serveBranches = async (...branches: readonly string[]): Promise<StubServer> => {
  const server = await serve();
  server.queues = branches.map((branch) => aQueue({ branch }));
  server.queueOf = ({ targetBranch }) => server.queues.find(({ branch }) => branch === targetBranch) ?? null;
  return server;
};

test('an address whose last part may be a number or a branch is that of the queue that exists', async () => {
  const server = await serveBranches('release/42');
  const page = await open(server, '/local/acme/shop/release/42', { expectedErrors: REFUSALS });
  await page.getByRole('table', { name: 'Line of release/42' }).waitFor({ timeout: SEEN_MS });
  await expect
    .poll(() => page.url(), { timeout: SEEN_MS })
    .toBe(`${server.url}/local/acme/shop/release%2F42`);
  expect(await page.evaluate('history.length')).toBe(2);
});

test('if both queues exist, an address without encoded slashes is that of the pull request', async () => {
  const server = await serveBranches('release', 'release/42');
  const page = await open(server, '/local/acme/shop/release/42');
  await shownView(page, 'pull');
  await page.goto(`${server.url}/local/acme/shop/release%2F42`);
  await page.getByRole('table', { name: 'Line of release/42' }).waitFor({ timeout: SEEN_MS });
});

test('settings and history of a branch with slashes are found without encoding', async () => {
  const server = await serveBranches('release/settings');
  const page = await open(server, '/local/acme/shop/release/settings', { expectedErrors: REFUSALS });
  await page.getByRole('table', { name: 'Line of release/settings' }).waitFor({ timeout: SEEN_MS });
  await page.goto(`${server.url}/local/acme/shop/release/settings/settings`);
  await shownView(page, 'settings');
  expect(page.url()).toBe(`${server.url}/local/acme/shop/release%2Fsettings/settings`);
});

test('the page of an address without a queue says so, and shows what an address looks like', async () => {
  const server = await serveBranches('main');
  const page = await open(server, '/local/acme/shop/none/42', { expectedErrors: REFUSALS });
  await page.getByText('There is nothing at this address.').waitFor({ timeout: SEEN_MS });
  await page.goto(`${server.url}${paths.queue}`);
  await shownView(page, 'queue');
});
