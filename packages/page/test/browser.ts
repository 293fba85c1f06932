import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { buildApp, type Plant } from '../src/build/build-app.js';
import { NOW, queueRef } from './fixtures.js';
import { StubServer } from './stub-server.js';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--font-render-hinting=none'],
  ...['--force-color-profile=srgb', '--disable-lcd-text', '--hide-scrollbars'],
];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export const paths = {
  queues: '/',
  queue: '/local/acme/shop/main',
  pull: '/local/acme/shop/main/42',
  history: '/local/acme/shop/main/history',
  settings: '/local/acme/shop/main/settings',
} as const;
export type View = keyof typeof paths;

export interface OpenOptions {
  readonly token?: string | null;
  readonly colorScheme?: 'light' | 'dark';
  readonly isNarrow?: boolean;
  /** The clock of the page stands still at `NOW`; timers go on. */
  readonly isStill?: boolean;
  /** Messages that the console may show, such as a refused request that the test is about. */
  readonly expectedErrors?: RegExp;
  /** The page has a planted fault, so errors are expected. */
  readonly isFaulty?: boolean;
}

const errorsByPage = new WeakMap<Page, readonly string[]>();

/** Errors and warnings of the console, exceptions, and requests to other servers. */
export const errorsOf = (page: Page): readonly string[] => errorsByPage.get(page) ?? [];

/** One browser and one build of the page for all tests of a file. */
export const usedBrowser = () => {
  let browser: Browser | null = null;
  const folder = mkdtempSync(join(tmpdir(), 'mq-page-'));
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt-get install chromium`);
    [browser] = await Promise.all([
      chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
      buildApp(join(folder, 'app')),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A server with the page, or with a page in which a fault was planted; below a path if one is given. */
  const serve = async (plant?: Plant, prefix = ''): Promise<StubServer> => {
    const app = plant === undefined ? join(folder, 'app') : mkdtempSync(join(folder, 'planted-'));
    if (plant !== undefined) await buildApp(app, plant);
    const server = new StubServer(app, prefix);
    await server.start();
    onTestFinished(() => server.stop());
    return server;
  };

  /** Opens a path. The test fails if the console of the page shows an error. */
  const open = async (
    server: Pick<StubServer, 'url'>,
    path: string,
    options: OpenOptions = {},
  ): Promise<Page> => {
    const {
      token = 'token',
      colorScheme = 'light',
      isNarrow = false,
      isStill = true,
      expectedErrors,
      isFaulty = false,
    } = options;
    if (browser === null) throw new Error('the browser has not started');
    const context = await browser.newContext({
      viewport: isNarrow ? { width: 390, height: 844 } : { width: 1280, height: 800 },
      colorScheme,
      timezoneId: 'UTC',
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    onTestFinished(() => context.close());
    if (token !== null)
      await context.addInitScript(`sessionStorage.setItem('mq-token', ${JSON.stringify(token)})`);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && expectedErrors?.test(message.text()) !== true)
        errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) errors.push(`a request to ${request.url()}`);
    });
    errorsByPage.set(page, errors);
    if (!isFaulty) onTestFinished(() => expect(errors).toEqual([]));
    if (isStill) await page.clock.setFixedTime(NOW);
    await page.goto(`${server.url}${path}`);
    return page;
  };
  return { serve, open };
};

interface AxeResult {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The findings of axe on the present page. The policy of the page stays in force. */
export const violationsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate((await import('node:fs')).readFileSync(AXE, 'utf8'));
  const found = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as readonly AxeResult[];
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
};

/** The line of the queue is there. */
export const shownLine = (page: Page) =>
  page.getByRole('table', { name: `Line of ${queueRef.targetBranch}` });
