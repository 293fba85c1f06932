// A test runner for StrykerJS. It bundles and loads the tests once, and runs them in one process for all changes,
// because loading takes far longer than most changes take to fail a test.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { build } from 'esbuild';

/**
 * @typedef {import('@stryker-mutator/api/test-runner').TestRunner} TestRunner
 * @typedef {import('@stryker-mutator/api/test-runner').TestResult} TestResult
 * @typedef {import('@stryker-mutator/api/test-runner').MutantRunOptions} MutantRunOptions
 * @typedef {import('@stryker-mutator/api/core').InstrumenterContext} InstrumenterContext
 * @typedef {import('./mutation-vitest.mjs').Collected} Collected
 * @typedef {{
 *   files: readonly (readonly [string, () => Promise<unknown>])[],
 *   collect: typeof import('./mutation-vitest.mjs').collect,
 *   perform: typeof import('./mutation-vitest.mjs').perform,
 * }} Bundle
 */

/** The limit for a test that waits forever: six times the duration of the slowest test on a busy machine. */
const TEST_LIMIT_MS = 60_000;

/** @implements {TestRunner} */
class InProcessRunner {
  /** @type {Collected[]} */
  #tests = [];

  /** @type {Bundle['perform']} */
  #perform = async () => {};

  /** How often each test has found a change: those that do so most often are run first. @type {Map<string, number>} */
  #found = new Map();

  /** What a changed file reads and writes. @type {InstrumenterContext} */
  #context = {};

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    Reflect.set(globalThis, INSTRUMENTER_CONSTANTS.NAMESPACE, this.#context);
    const { files, collect, perform } = await load(process.cwd());
    this.#perform = perform;
    for (const [path, importFile] of files) this.#tests.push(...(await collect(path, importFile)));
  }

  /** @returns {Promise<import('@stryker-mutator/api/test-runner').DryRunResult>} */
  async dryRun() {
    const tests = [];
    for (const test of this.#tests) {
      this.#context.currentTestId = test.id;
      tests.push(await this.#run(test));
    }
    delete this.#context.currentTestId;
    const { mutantCoverage = { static: {}, perTest: {} } } = this.#context;
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  /** @param {MutantRunOptions} options */
  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    this.#context.activeMutant = activeMutant.id;
    if (hitLimit !== undefined) Object.assign(this.#context, { hitCount: 0, hitLimit });
    const reached = new Set(testFilter);
    const foundBy = (/** @type {Collected} */ { id }) => this.#found.get(id) ?? 0;
    const tests = [];
    for (const test of this.#tests
      .filter(({ id }) => testFilter === undefined || reached.has(id))
      .toSorted((one, other) => foundBy(other) - foundBy(one))) {
      const result = await this.#run(test);
      tests.push(result);
      if (result.status !== TestStatus.Failed) continue;
      this.#found.set(test.id, foundBy(test) + 1);
      break;
    }
    const endless = determineHitLimitReached(this.#context.hitCount, hitLimit);
    for (const key of /** @type {const} */ (['activeMutant', 'hitCount', 'hitLimit']))
      delete this.#context[key];
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
  }

  /**
   * @param {Collected} test
   * @returns {Promise<TestResult>}
   */
  async #run(test) {
    const startedMs = performance.now();
    const base = { id: test.id, name: test.name, fileName: test.file };
    const spent = () => ({ timeSpentMs: performance.now() - startedMs });
    try {
      await within(TEST_LIMIT_MS, this.#perform(test));
      return { ...base, ...spent(), status: TestStatus.Success };
    } catch (error) {
      return { ...base, ...spent(), status: TestStatus.Failed, failureMessage: String(error) };
    }
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)];

/**
 * @param {number} limitMs
 * @param {Promise<unknown>} ended
 */
async function within(limitMs, ended) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It has not ended after ${limitMs} ms.`)), limitMs);
  });
  try {
    await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tests of rules before stories, which take ten times as long. @param {string} root */
function testFiles(root) {
  const below = (/** @type {string} */ folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .sort();
  const isRuleTest = (/** @type {string} */ path) =>
    // A random walk costs as much as all rule tests together, and what it finds cannot be attributed to a rule.
    path.endsWith('.test.ts') && !path.endsWith('.property.test.ts');
  const isStory = (/** @type {string} */ path) =>
    path.endsWith('.story.test.ts') && !path.endsWith('/scale.story.test.ts');
  return [
    ...['decide', 'explain', 'model'].flatMap((ring) =>
      below(`packages/core/src/${ring}`).filter(isRuleTest),
    ),
    ...below('packages/core/test').filter(isStory),
  ];
}

/**
 * @param {string} root
 * @returns {Promise<Bundle>}
 */
async function load(root) {
  const outfile = resolve(root, `mutation-${process.pid}.mjs`);
  const entry = [
    `import './scripts/property-seed.ts';`,
    `export { collect, perform } from 'vitest';`,
    'export const files = [',
    ...testFiles(root).map((path) => `  ['${path}', () => import('./${path}')],`),
    '];',
  ];
  const source = (/** @type {string} */ name) => resolve(root, `packages/${name}/src/index.ts`);
  await build({
    stdin: { contents: entry.join('\n'), resolveDir: root },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    // The changed copy uses the node_modules of the original tree, which link to that tree's packages.
    alias: {
      vitest: resolve(root, 'scripts/mutation-vitest.mjs'),
      '@mq/core': source('core'),
      '@mq/store-memory': source('store-memory'),
      '@mq/testkit': source('testkit'),
    },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'where-a-test-is',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.test\.ts$/ }, ({ path }) => ({
            contents: readFileSync(path, 'utf8').replaceAll(
              'import.meta.url',
              JSON.stringify(pathToFileURL(path).href),
            ),
            loader: 'ts',
          }));
        },
      },
    ],
  });
  return import(pathToFileURL(outfile).href);
}
