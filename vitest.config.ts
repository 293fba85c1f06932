import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { thoroughFiles } from './scripts/thorough.mjs';

/** Packages resolve to their sources, so that tests need no build. */
const sources = { conditions: ['mq-source', 'module', 'node', 'development|production'] };

/** In every project: what draws examples draws the same ones in every run, and no secret stands in a log. */
const setupFiles = ['property-seed', 'secret-watch'].map((name) =>
  fileURLToPath(new URL(`scripts/${name}.ts`, import.meta.url)),
);

/** `npm test` and `npm run changed` set it: then what `npm run verify` runs is left out. */
const leftOut = ['quick', 'changed'].includes(process.env.MQ_TESTS ?? '') ? thoroughFiles : [];

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Ends what hangs, and nothing else: ten times what the slowest test takes on a machine that is busy. */
  readonly timeoutMs?: number;
  readonly globalSetup?: string | string[];
  /** False if the files of one worker share their modules, which saves two thirds of the time: none keeps state in them. */
  readonly isolate?: boolean;
}

const project = ({
  name,
  include,
  exclude = [],
  timeoutMs = 30_000,
  globalSetup,
  isolate = true,
}: Project) => ({
  resolve: sources,
  ssr: { resolve: sources },
  test: {
    name,
    include: [...include],
    exclude: ['**/node_modules/**', '**/dist/**', ...leftOut, ...exclude],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: { timeout: timeoutMs / 2 } },
    setupFiles,
    isolate,
    ...(globalSetup === undefined ? {} : { globalSetup }),
  },
});

export default defineConfig({
  test: {
    passWithNoTests: true,
    teardownTimeout: 60_000,
    experimental: { fsModuleCache: true },
    reporters: ['default', './scripts/suite-table.mjs'],
    // Vitest leaves one processor to itself; on a machine with two, tests that wait for processes would wait one by one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      project({ name: 'unit', include: ['packages/*/src/**/*.test.ts'], isolate: false }),
      project({
        name: 'story',
        include: ['packages/core/test/**/*.story.test.ts', 'packages/*/test/**/*.scenario.test.ts'],
        exclude: ['packages/store-postgres/**'],
        timeoutMs: 120_000,
        isolate: false,
      }),
      project({
        name: 'conformance',
        include: ['packages/*/test/**/*.conformance.test.ts'],
        exclude: ['packages/store-postgres/**'],
        timeoutMs: 120_000,
        isolate: false,
      }),
      project({
        name: 'postgres',
        include: ['packages/store-postgres/test/**/*.test.ts'],
        timeoutMs: 180_000,
        globalSetup: 'packages/store-postgres/test/postgres-server.ts',
      }),
      project({
        name: 'http',
        include: ['packages/{http,webhooks}/test/**/*.test.ts'],
        exclude: ['**/*.scenario.test.ts', '**/*.conformance.test.ts'],
        timeoutMs: 60_000,
        isolate: false,
      }),
      project({
        name: 'process',
        include: [
          'packages/{host-git,server}/test/**/*.process.test.ts',
          'examples/**/*.test.ts',
          'scripts/**/*.test.ts',
        ],
        exclude: ['scripts/tarballs.test.ts', '**/*.browser.test.ts'],
        timeoutMs: 600_000,
        globalSetup: 'packages/server/test/built-server.ts',
      }),
      // Needs a browser: `npm run verify` runs it.
      project({
        name: 'browser',
        include: ['{packages/page/test,scripts}/**/*.browser.test.ts'],
        timeoutMs: 240_000,
      }),
      // Needs a Gitea, which is built with Go: `npm run test:gitea` runs it.
      project({
        name: 'gitea',
        include: ['packages/*/test/**/*.gitea.test.ts'],
        timeoutMs: 600_000,
        globalSetup: ['packages/test-gitea/src/setup.ts', 'packages/server/test/built-server.ts'],
      }),
      // Needs the tarballs of `npm run pack`, which takes minutes: `npm run verify` runs it.
      project({ name: 'packages', include: ['scripts/tarballs.test.ts'], timeoutMs: 600_000 }),
      project({
        name: 'simulation',
        include: ['packages/simulation/test/**/*.test.ts'],
        exclude: ['**/*.scenario.test.ts', '**/*.conformance.test.ts'],
        timeoutMs: 3_600_000,
      }),
    ],
  },
});
