import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { capture, elapsed, tool } from './command.mjs';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';

const USAGE = 'npm run properties -- [--rounds 10] [--seed 1] [--only packages/core/src/decide]';
/** Identifiers that show that a test file has property tests. */
const DRAWS = /from '(fast-check|[./]+\/test\/walks\.js)'/;
/** Left out, because they need a PostgreSQL server and have their own options for more traces. */
const APART = 'packages/store-postgres/';

/**
 * The unit tests and stories that draw examples, in order.
 * @returns {string[]}
 */
export function propertyTests() {
  return readdirSync(`${ROOT}/packages`, { recursive: true, encoding: 'utf8' })
    .map((file) => `packages/${file}`)
    .filter(
      (file) =>
        /^packages\/[^/]+\/(src\/.*|test\/.*\.story)\.test\.ts$/.test(file) && !file.startsWith(APART),
    )
    .filter((file) => DRAWS.test(readFileSync(`${ROOT}/${file}`, 'utf8')))
    .sort();
}

/**
 * @param {string} name
 * @param {string} text
 */
function whole(name, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem(`${name} is "${text}": it must be a whole number.`, USAGE);
}

/** @param {readonly string[]} args */
async function properties(args) {
  const { rounds, seed, only } = argumentsOf(args);
  const files = propertyTests().filter((file) => file.startsWith(only));
  if (files.length === 0) throw new Problem(`There are no property tests in ${only}.`, USAGE);
  await ensureInstalled();
  const tests = tool('vitest/vitest.mjs', 'run', '--project', 'unit', '--project', 'story');
  /** @type {number[]} */
  const red = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = Date.now();
    const { code, output } = await capture([...tests, ...files], {
      env: { PROPERTY_SEED: `${seed + round}` },
    });
    if (code !== 0) {
      red.push(seed + round);
      console.log(output);
    }
    console.log(`seed ${seed + round}: ${code === 0 ? 'green' : 'RED'} (${elapsed(startedMs)})`);
  }
  for (const failed of red) console.log(`Repeat with: npm run properties -- --seed ${failed} --rounds 1`);
  console.log(`${rounds - red.length} of ${rounds} seeds are green.`);
  return red.length === 0 ? 0 : 1;
}

/** @param {readonly string[]} args */
function argumentsOf(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: 'packages/' },
    },
  });
  return { rounds: whole('--rounds', values.rounds), seed: whole('--seed', values.seed), only: values.only };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(() => properties(process.argv.slice(2)));
