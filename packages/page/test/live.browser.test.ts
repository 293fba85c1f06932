import { expect, test } from 'vitest';
import { paths, usedBrowser } from './browser.js';
import { catchesUpAfterAnOutage, SEEN_MS, showsChangesLive } from './checks.js';
import { aPull, at } from './fixtures.js';

const { serve, open } = usedBrowser();
const AWAY = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

test('a change is shown by itself', async () => {
  const server = await serve();
  await showsChangesLive({ server, open: (path) => open(server, path) });
});

test('a page goes on by itself when the server was away, and misses nothing', async () => {
  const server = await serve();
  const options = { isStill: false, expectedErrors: AWAY };
  await catchesUpAfterAnOutage({ server, open: (path) => open(server, path, options) });
  expect(server.resumedAfter.at(-1)).not.toBeNull();
});

test('a banner says for how long the server has not answered', async () => {
  const server = await serve();
  const page = await open(server, paths.queue, { isStill: false, expectedErrors: AWAY });
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  await server.stop();
  await page
    .getByRole('alert')
    .getByText(/has not answered for \d+ s/)
    .waitFor({ timeout: SEEN_MS });
});

test('changes that the stream brings are shown without a read, and others are read', async () => {
  const server = await serve();
  server.line = { ...server.line, runs: [] };
  const page = await open(server, paths.queue, { isStill: false });
  await expect.poll(() => server.shown, { timeout: SEEN_MS }).not.toBeNull();
  await expect.poll(() => server.streams, { timeout: SEEN_MS }).toBe(1);
  const reads = () => server.asked.filter(({ operation }) => operation === 'getQueueSnapshot').length;
  const brings = async (prTitle: string) => {
    server.line = { ...server.line, enqueued: [aPull(970, { prTitle })] };
    server.bring();
    server.emit();
    await page.getByText(prTitle).waitFor({ timeout: SEEN_MS });
  };
  await brings('Brought first');
  const before = reads();
  await brings('Brought next');
  expect(reads()).toBe(before);

  server.line = { ...server.line, enqueued: [aPull(971, { prTitle: 'Read' })] };
  server.emit();
  await page.getByText('Read', { exact: true }).waitFor({ timeout: 2 * SEEN_MS });
});

test('two tabs of a browser share one stream, and both are live', async () => {
  const server = await serve();
  server.line = { ...server.line, runs: [] };
  const first = await open(server, paths.queue);
  await first.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  const second = await first.context().newPage();
  await second.goto(`${server.url}${paths.queue}`);
  await second.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  await expect.poll(() => server.streams, { timeout: SEEN_MS }).toBe(1);
  server.line = {
    ...server.line,
    enqueued: [...server.line.enqueued, aPull(950, { prTitle: 'In both tabs' })],
  };
  server.emit();
  await Promise.all(
    [first, second].map((tab) => tab.getByText('In both tabs').waitFor({ timeout: SEEN_MS })),
  );

  await first.close();
  await expect.poll(() => server.streams, { timeout: SEEN_MS }).toBe(1);
  server.line = {
    ...server.line,
    enqueued: [...server.line.enqueued, aPull(951, { prTitle: 'After the leader' })],
  };
  server.emit();
  await second.getByText('After the leader').waitFor({ timeout: SEEN_MS });
});

test('a page that is hidden for five minutes gives its stream up, and reads again when it is shown', async () => {
  const server = await serve();
  const page = await open(server, paths.queue, { isStill: false });
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  const setHidden = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  await page.clock.install();
  await setHidden(true);
  await page.clock.fastForward('04:59');
  expect(server.streams).toBe(1);
  await page.clock.fastForward('00:02');
  await expect.poll(() => server.streams, { timeout: SEEN_MS }).toBe(0);
  server.line = {
    ...server.line,
    enqueued: [aPull(960, { prTitle: 'While hidden', stateChangedAt: at(0) })],
  };
  await setHidden(false);
  await page.clock.fastForward('00:02');
  await page.getByText('While hidden').waitFor({ timeout: SEEN_MS });
  await expect.poll(() => server.streams, { timeout: SEEN_MS }).toBe(1);
});

test('links to logs, which open for five minutes, are renewed while their page is idle', async () => {
  const server = await serve();
  let signature = 1;
  server.answers.getMergeQueueTestingDetails = () => {
    const runs = server.line.runs.map((run) => ({
      ...run,
      checkSuites: run.checkSuites.map((suite) => ({
        ...suite,
        checkRuns: suite.checkRuns.map((check) => ({
          ...check,
          url: `/logs/acme/shop/1?until=${signature}`,
        })),
      })),
    }));
    return { runs };
  };
  // Without a stream nothing else makes the page read again.
  server.refusals.events = { status: 403, code: 'SCOPE_MISSING', detail: 'This needs the scope read.' };
  const page = await open(server, paths.pull, { isStill: false, expectedErrors: /status of 403/ });
  const link = page.locator('a[href*="/logs/acme/shop/1"]').first();
  await link.waitFor({ timeout: SEEN_MS });
  await page.clock.install();
  await page.reload();
  await link.waitFor({ timeout: SEEN_MS });
  await page.clock.runFor(3_000);
  signature = 2;
  await page.clock.fastForward('04:30');
  await page.locator('a[href$="until=2"]').first().waitFor({ timeout: SEEN_MS });
});
