// What test files import as `vitest` when their tests run repeatedly in one process for mutation testing: the same
// functions, with vitest's own `expect`.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from '@vitest/expect';

/**
 * @typedef {() => unknown} Body
 * @typedef {{ after: Body[], within: Suite | null, name: string }} Suite
 * @typedef {{ id: string, name: string, file: string, body: Body, suite: Suite }} Collected
 */

/** @type {Collected[]} */
const collected = [];

/** @type {(name: string, within: Suite | null) => Suite} */
const suiteOf = (name, within) => ({ after: [], within, name });

let file = '';
let suite = suiteOf('', null);

/**
 * The tests of one file, in their order.
 * @param {string} path
 * @param {() => Promise<unknown>} load
 * @returns {Promise<readonly Collected[]>}
 */
export async function collect(path, load) {
  const first = collected.length;
  file = path;
  suite = suiteOf('', null);
  await load();
  return collected.slice(first);
}

/** Runs one test and its cleanup. It throws what the test throws. @param {Collected} one */
export async function perform({ body, suite: own }) {
  const suites = [];
  for (let at = /** @type {Suite | null} */ (own); at !== null; at = at.within) suites.unshift(at);
  try {
    await body();
  } finally {
    for (const each of suites.toReversed()) for (const after of each.after.toReversed()) await after();
  }
}

/** @type {(name: string, body: Body) => void} */
export const describe = (name, body) => {
  const outer = suite;
  suite = suiteOf(name, outer);
  body();
  suite = outer;
};

/** @type {(name: string, body: Body) => void} */
const one = (name, body) => {
  const names = [name];
  for (let at = /** @type {Suite | null} */ (suite); at !== null; at = at.within)
    if (at.name !== '') names.unshift(at.name);
  const number = collected.filter((other) => other.file === file).length + 1;
  collected.push({ id: `${file}#${number}`, name: names.join(' > '), file, body, suite });
};

/** @type {(rows: readonly unknown[]) => (name: string, body: (...values: any[]) => unknown) => void} */
const each = (rows) => (name, body) => {
  for (const row of rows) one(name, () => (Array.isArray(row) ? body(...row) : body(row)));
};

export const test = Object.assign(one, { each });

/** @type {(body: Body) => void} */
export const afterEach = (body) => void suite.after.push(body);

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

/** @type {(value: unknown, message?: string) => unknown} */
const asserted = (value, message) => chai.expect(value, message);

export const expect = Object.assign(
  asserted,
  chai.expect,
  Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT),
);
