import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { paths, shownLine, usedBrowser, type View, violationsOf } from './browser.js';
import {
  isAccessible,
  SEEN_MS,
  shownView,
  showsHostileSettingsAsText,
  showsHostileTextAsText,
} from './checks.js';
import { aPull, aQueue, aReceipt, busyLine, emptyLine, foundPull, longLine, NOW } from './fixtures.js';

const { serve, open } = usedBrowser();
const views = Object.keys(paths) as View[];
const LIMIT_BYTES = 150_000;

test.each(views)('the view %s is complete, and axe finds nothing on it', async (view) => {
  const server = await serve();
  await isAccessible({ server, open: (path) => open(server, path) }, view);
});

test.each(views)('the view %s keeps its contrast in the dark, and fits a phone', async (view) => {
  const server = await serve();
  const page = await open(server, paths[view], { colorScheme: 'dark', isNarrow: true });
  await shownView(page, view);
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

test.each(views.filter((view) => view !== 'settings'))(
  'the view %s shows hostile text as text',
  async (view) => {
    const server = await serve();
    await showsHostileTextAsText({ server, open: (path) => open(server, path) }, view);
  },
);

test('the view settings shows hostile text as text, also in the difference of a change', async () => {
  const server = await serve();
  await showsHostileSettingsAsText({ server, open: (path) => open(server, path) });
});

test('a hostile branch is text in the heading, the breadcrumb and the title', async () => {
  const server = await serve();
  const branch = '<img src=x onerror=alert(1)>';
  const page = await open(server, `/local/acme/shop/${encodeURIComponent(branch)}`);
  await page.getByRole('heading', { name: branch }).waitFor({ timeout: SEEN_MS });
  await expect.poll(() => page.title(), { timeout: SEEN_MS }).toContain(branch);
  expect(await page.locator('img').count()).toBe(0);
});

test.each([
  ['queues', 'There is no queue yet.', 'mq queue create'],
  ['queue', 'Nothing is in line.', 'mq submit 1'],
  ['history', 'No pull request has left this queue yet.', ''],
] as const)('the view %s says what to do when it is empty', async (view, title, next) => {
  const server = await serve();
  server.line = emptyLine;
  if (view === 'queues') server.queues = [];
  const page = await open(server, paths[view]);
  await page.getByText(title).waitFor({ timeout: SEEN_MS });
  if (next !== '') expect(await page.getByText(next).count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
});

test('a pull request that was never submitted can be submitted from its page', async () => {
  const server = await serve();
  server.refusals.getSubmittedPullRequest = {
    status: 404,
    code: 'NOT_SUBMITTED',
    detail: '#7 was never submitted.',
  };
  const page = await open(server, '/local/acme/shop/main/7', { expectedErrors: /404/ });
  await page.getByText('This pull request is not in the queue.').waitFor({ timeout: SEEN_MS });
  expect(await page.getByRole('button', { name: 'Submit' }).count()).toBe(1);
});

test('a slider shows the whole queue at a past moment, and where the history begins', async () => {
  const server = await serve();
  const page = await open(server, paths.history);
  const moment = page.getByRole('region', { name: 'The queue at a past moment' });
  await moment.getByText('0 pull requests in line, 0 test runs').waitFor({ timeout: SEEN_MS });
  await moment.getByText('The history begins at 2026-11-24 12:30:00; what is older was removed.').waitFor();
  await moment.getByRole('slider').fill(String(NOW - 3_600_000));
  await moment.getByText('1 pull request in line, 1 test run').waitFor({ timeout: SEEN_MS });
  expect(await moment.getByRole('table', { name: 'Line at that moment' }).textContent()).toContain(
    '#36 Ask before',
  );
  expect(await moment.getByText('2026-11-26 13:30:00').count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
});

test('a merged pull request shows its commit and its receipt, and asks for nothing', async () => {
  const server = await serve();
  const merged = aPull(42, {
    state: 'merged',
    reason: { code: 'MERGED', sentence: 'The queue merged it.', detail: null },
  });
  server.answers.getSubmittedPullRequest = () =>
    foundPull(merged, {
      isCurrentlySubmittedToQueue: false,
      position: null,
      landedCommit: aReceipt(42).landed.commit,
    });
  server.answers.listReceipts = () => ({ receipts: [aReceipt(42)], chain: null });
  const page = await open(server, paths.pull);
  const receipt = page.getByRole('region', { name: 'Receipt 17' });
  await receipt.getByText('ada, 2026-11-26 14:16:00').waitFor({ timeout: SEEN_MS });
  expect(await receipt.getByText('7c1d0e2f').count()).toBe(1);
  expect(await page.getByText('What to do').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Submit' }).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
});

test('a thousand in line are drawn as far as they are in sight, and all are reached', async () => {
  const server = await serve();
  server.line = longLine();
  const page = await open(server, paths.queue);
  await shownView(page, 'queue');
  expect(await shownLine(page).getAttribute('aria-rowcount')).toBe('1002');
  expect(await shownLine(page).locator('tbody tr').count()).toBeLessThan(100);
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  await page.getByText('#40', { exact: true }).waitFor({ timeout: SEEN_MS });
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  const bottom = await page.getByText('#40', { exact: true }).boundingBox();
  expect(bottom?.y).toBeLessThan(800);
  expect(await violationsOf(page)).toEqual([]);
});

test('a thousand in line on a phone end with the last one', async () => {
  const server = await serve();
  server.line = longLine();
  const page = await open(server, paths.queue, { isNarrow: true });
  await shownView(page, 'queue');
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  await page.getByText('#40', { exact: true }).waitFor({ timeout: SEEN_MS });
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  const bottom = await page.getByText('#40', { exact: true }).boundingBox();
  expect(bottom?.y).toBeLessThan(844);
});

test('a thousand in line take at most six times as long to draw as fifty', async () => {
  const server = await serve();
  const drawnIn = async (count: number): Promise<number> => {
    const line = longLine();
    server.line = { ...line, runs: [], enqueued: line.enqueued.slice(0, count) };
    const page = await open(server, paths.queue);
    await shownView(page, 'queue');
    const took: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await page.getByRole('link', { name: 'History', exact: true }).click();
      await page.getByRole('table', { name: 'Pull requests that left the queue' }).waitFor();
      const answered = page.waitForResponse((response) => response.url().endsWith('getQueueSnapshot'));
      await page.getByRole('link', { name: 'Line', exact: true }).click();
      await (await answered).finished();
      const started = performance.now();
      await shownLine(page).waitFor();
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      took.push(performance.now() - started);
    }
    return Math.min(...took);
  };
  const fifty = await drawnIn(50);
  const thousand = await drawnIn(1_000);
  expect(thousand / fifty).toBeLessThanOrEqual(6);
});

test('a filter finds pull requests by number, title, author and state', async () => {
  const server = await serve();
  const page = await open(server, paths.queue);
  const filter = page.getByLabel('Filter by number, title, author or state');
  for (const [text, found] of [
    ['#47', 1],
    ['voucher', 1],
    ['failing', 1],
    ['nothing like this', 0],
  ] as const) {
    await filter.fill(text);
    await page.getByText(`${found} of 13 pull requests`).waitFor({ timeout: SEEN_MS });
  }
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByText('13 pull requests', { exact: true }).waitFor();
});

test('arrow keys and j and k go through the line, and Enter opens a pull request', async () => {
  const server = await serve();
  const page = await open(server, paths.queue);
  await page.getByRole('link', { name: '#41' }).last().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/main/42');
  await expect.poll(() => page.title(), { timeout: SEEN_MS }).toBe('#42 · acme/shop main');
});

test('instants are relative, with the exact time on hover', async () => {
  const server = await serve();
  const page = await open(server, paths.queue);
  const since = shownLine(page).locator('time').first();
  expect(await since.textContent()).toBe('4 min ago');
  expect(await since.getAttribute('title')).toBe('2026-11-26 14:26:00');
});

test('an address with slashes in its branch is found by the queues that there are', async () => {
  const server = await serve();
  server.queues = [aQueue({ branch: 'release/next' })];
  server.line = busyLine();
  const page = await open(server, '/local/acme/shop/release/next/');
  await page.getByRole('heading', { name: 'acme/shop release/next' }).waitFor({ timeout: SEEN_MS });
});

test('everything that the page loads is at most 150 kB compressed', async () => {
  const server = await serve();
  const sizes = readdirSync(server.folder)
    .filter((name) => /\.(js|css|svg|woff2)$/.test(name))
    .map((name) => {
      const bytes = readFileSync(join(server.folder, name));
      return Math.min(bytes.length, gzipSync(bytes, { level: 9 }).length);
    });
  expect(sizes).toHaveLength(4);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(LIMIT_BYTES);
});
