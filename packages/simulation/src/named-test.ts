import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, type NamedTest, planted } from './bundle.js';

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const vitest = join(
  dirname(createRequire(`${root}package.json`).resolve('vitest/package.json')),
  'vitest.mjs',
);

/** Runs one test, with a planted bug or without. Throws if the report has no result of the test. */
export const runNamedTest = async (
  { file, test }: NamedTest,
  mutant: Mutant | null,
): Promise<'passed' | 'failed'> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-planted-'));
  try {
    const [sources, report] = [join(folder, 'sources.json'), join(folder, 'report.json')];
    await writeFile(sources, JSON.stringify(mutant === null ? [] : [...(await planted(mutant))]));
    const output = await outputOf(
      [
        ...[vitest, 'run', `packages/${file}`, '--config', 'vitest.planted.config.ts'],
        ...['--testNamePattern', patternOf(test)],
        ...['--reporter', 'json', '--outputFile', report],
      ],
      sources,
    );
    const verdict = verdictOf(await readFile(report, 'utf8').catch(() => ''), test);
    if (verdict === null) throw new Error(`${file}: "${test}" has no result.\n${output}`);
    return verdict;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Matches any test of a title with `%s`, since the titles of the tests have values there. */
const patternOf = (test: string): string =>
  `${test.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '.+')}$`;

const verdictOf = (text: string, test: string): 'passed' | 'failed' | null => {
  if (text === '') return null;
  const { testResults }: Report = JSON.parse(text);
  const own = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title }) => new RegExp(`^${patternOf(test)}`).test(title));
  if (own.some(({ status }) => status === 'failed')) return 'failed';
  return own.some(({ status }) => status === 'passed') ? 'passed' : null;
};

/** Resolves with the output for every exit code: a planted bug is expected to fail the test. */
const outputOf = (args: readonly string[], sources: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '', PLANTED_SOURCES: sources },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
