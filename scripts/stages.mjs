import { availableParallelism } from 'node:os';
import { runBrowserSuite } from './browser-suite.mjs';
import { elapsed, run, tool } from './command.mjs';
import { seedFiles, thoroughFiles } from './thorough.mjs';
import { lastRunOf, runReported } from './vitest-report.mjs';

/** Colours are for terminals only; in CI logs they are noise. */
const plain = process.stdout.isTTY ? [] : ['--colors=off'];

/** The Vitest project that installs the tarballs of the packages. */
export const PACKAGES_PROJECT = 'packages';

/** The Vitest project that needs a real Gitea. */
export const GITEA_PROJECT = 'gitea';

/** How many tests that project has. Fewer are a failure: a suite that ran nothing must not look like one that passed. */
const GITEA_TESTS = 183;

/**
 * @typedef {{
 *   name: string,
 *   title: string,
 *   run: () => Promise<number>,
 *   isCheap?: boolean,
 * }} Stage A cheap one is run even where an earlier one failed, so that all failures show at once.
 */

const THOROUGH_WORKERS = Math.max(3, availableParallelism());

/** @param {readonly string[]} args @param {Readonly<Record<string, string>>} [env] */
const vitest = (args, env = {}) => run(tool('vitest/vitest.mjs', 'run', ...args), { env });

/** The exit code of the build of Gitea if this machine cannot build it (packages/test-gitea/src/gitea.ts). */
const CANNOT_BUILD = 3;

/** Builds Gitea if it was not built yet: once, in some 400 s of processor time and 2 GB of downloads. */
const buildGitea = () => run([process.execPath, 'scripts/private.mjs', 'test-gitea', 'gitea', '--build']);

const testOnGitea = async () => {
  const code = await runReported(GITEA_PROJECT);
  if (code !== 0) return code;
  const { passed } = lastRunOf(GITEA_PROJECT);
  if (passed === GITEA_TESTS) return 0;
  console.error(`${passed} tests passed on Gitea, and scripts/stages.mjs states ${GITEA_TESTS}.`);
  return 1;
};

/** The tests that need a real Gitea, if it was built before or Go can build it. @type {Stage} */
export const giteaWhereGoStage = {
  name: 'gitea',
  title: 'A real Gitea, where Go is there to build it',
  run: async () => {
    const built = await buildGitea();
    if (built !== CANNOT_BUILD) return built || testOnGitea();
    console.log(
      'LEFT OUT: the tests on a real Gitea. With Go and a network, `npm run test:gitea` runs them.',
    );
    return 0;
  },
};

/** Builds Gitea if it was not built yet, and runs the tests that need a real one. @type {Stage} */
export const giteaStage = {
  name: 'gitea',
  title: 'A real Gitea',
  run: async () => (await buildGitea()) || testOnGitea(),
};

/**
 * The tests that `npm test` leaves out, with whole sets of seeds, or with the sets of continuous integration.
 * @param {'ci' | 'thorough'} sets
 * @returns {Stage[]}
 */
export function thoroughStages(sets) {
  return [
    {
      name: 'thorough',
      title: 'Thorough tests',
      run: () => {
        if (sets === 'ci')
          console.log('A sample of seeds and crash points. `npm run verify` runs all of them.');
        // Most of these tests wait for processes and disks: a third worker uses what two leave idle on two processors.
        return vitest([...thoroughFiles, ...seedFiles, `--maxWorkers=${THOROUGH_WORKERS}`], {
          MQ_TESTS: sets,
        });
      },
    },
    { name: 'browser', title: 'The page in a browser', run: runBrowserSuite },
  ];
}

/** The stages that take seconds and run no tests, cheapest first. @type {readonly Stage[]} */
export const cheapStages = [
  { name: 'words', title: 'Words', run: () => run([process.execPath, 'scripts/check-words.mjs']) },
  {
    name: 'lint',
    title: 'Lint and format',
    run: () => run(tool('@biomejs/biome/bin/biome', 'ci', ...plain, '.')),
  },
  { name: 'layers', title: 'Layers', run: () => run([process.execPath, 'scripts/check-layers.mjs']) },
  { name: 'types', title: 'Types', run: () => run(tool('typescript-native/bin/tsc', '--noEmit', '-p', '.')) },
  {
    name: 'page-types',
    title: 'Types of the page',
    run: () => run(tool('typescript-native/bin/tsc', '--noEmit', '-p', 'packages/page')),
  },
  { name: 'pages', title: 'Generated pages', run: () => generate('--check') },
].map((stage) => ({ ...stage, isCheap: true }));

/**
 * Test files of `unit` and `story`, without the rest of their projects.
 * @param {readonly string[]} files
 * @param {string} title
 * @returns {Stage}
 */
export const testFilesStage = (files, title) => ({
  name: 'tests',
  title,
  run: () => vitest([...files, '--project=unit', '--project=story'], { MQ_TESTS: 'changed' }),
});

/**
 * The Vitest projects of `npm test`. Those that need built packages, a browser or a Gitea are stages of `npm run verify`.
 * They are named one by one: Vitest runs each project that one of several exclusions leaves.
 */
export const quickProjects = ['unit', 'story', 'conformance', 'postgres', 'http', 'process', 'simulation'];

/**
 * What is checked, in order, cheapest first. Named projects or files are tested whole. Without names: the scope of
 * `npm test`.
 * @param {readonly string[]} vitestArgs
 * @returns {Stage[]}
 */
export function testStages(vitestArgs) {
  const projects = vitestArgs.some((arg) => arg.startsWith('--project'))
    ? []
    : quickProjects.map((each) => `--project=${each}`);
  const env = vitestArgs.length === 0 ? { MQ_TESTS: 'quick' } : {};
  return [
    ...cheapStages,
    {
      name: 'tests',
      title: 'Tests',
      run: () => vitest([...projects, ...vitestArgs], env),
    },
  ];
}

/** Writes the generated pages; with `--check` only lists those that are out of date. @param {readonly string[]} args */
export function generate(...args) {
  const node = [process.execPath, '--conditions=mq-source', '--import=tsx'];
  return run([...node, 'scripts/generate.ts', ...args]);
}

/**
 * Runs stages in order. After a failure only cheap ones are run. Prints at the end which passed and how long each took.
 * @param {readonly Stage[]} stages
 * @returns {Promise<number>} 0, or the exit code of the first stage that failed
 */
export async function runStages(stages) {
  /** @type {string[]} */
  const summary = [];
  let failure = 0;
  for (const [index, stage] of stages.entries()) {
    if (failure !== 0 && stage.isCheap !== true) {
      summary.push(`  –  ${stage.title} (not run)`);
      continue;
    }
    console.log(`\n── ${stage.title} (${index + 1} of ${stages.length})`);
    const startedMs = Date.now();
    const code = await stage.run();
    if (failure === 0) failure = code;
    summary.push(`  ${code === 0 ? '✔' : '✖'}  ${stage.title} (${elapsed(startedMs)})`);
  }
  console.log(`\n${summary.join('\n')}\n`);
  return failure;
}
