import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {{ id: string, layers: string[], title: string, needs: string | null }} Entry
 * @typedef {{ entry: Entry, tested: string[], open: { layer: string, because: string }[] }} Row
 * @typedef {{ path: string, text: string }} SourceFile
 */

const ENTRIES = 'packages/testkit/src/scenarios/catalogue-entries.ts';
const GROUPS = 'packages/testkit/src/scenarios';
export const PAGE = 'docs/evidence/scenarios.md';

const LAYERS = {
  U: { name: 'engine model', lacks: 'a test' },
  M: { name: 'memory store', lacks: 'a test' },
  P: { name: 'PostgreSQL store', lacks: 'a test' },
  R: { name: 'replicas on PostgreSQL', lacks: 'a test' },
  S: { name: 'simulated host and CI', lacks: 'a test' },
  L: { name: 'local git host', lacks: 'a test' },
  H: { name: 'GitHub host', lacks: 'the GitHub host' },
  A: { name: 'HTTP interface', lacks: 'a test' },
};

/** The layers that a test with an ID in its name covers, by package. */
const LAYERS_OF_PACKAGE = {
  core: ['U', 'M', 'S'],
  simulation: ['U', 'M', 'S'],
  'store-memory': ['M'],
  'store-postgres': ['P'],
  'host-git': ['L'],
  http: ['A'],
  webhooks: ['A'],
  server: ['A', 'L'],
};

/** Test files that stand for other layers than their package. @type {readonly [RegExp, string[]][]} */
const LAYERS_OF_FILE = [
  [/^packages\/store-postgres\/test\/replicas[^/]*$/, ['P', 'R']],
  [/^packages\/store-postgres\/test\/equivalence\.test\.ts$/, ['M', 'P']],
  [/^packages\/server\/test\/replicas[^/]*$/, ['P', 'R', 'A', 'L']],
  [/^packages\/server\/test\/durable[^/]*$/, ['P', 'A', 'L']],
];

const TITLES = {
  A: 'Admission and readiness',
  B: 'Order and speculation',
  C: 'Failures, pending failure, bisection',
  D: 'Batching',
  E: 'Parallel lanes and impacted targets',
  F: 'What happens to a pull request while it is queued',
  G: 'Verdicts and statuses',
  H: 'Landing',
  I: 'Crash, replicas, store',
  J: 'Events and reconciliation',
  K: 'Faults and limits of the host',
  L: 'Queue administration',
  M: 'Cancel, restart, priority',
  N: 'Git',
  O: 'Comments, events, metrics',
  P: 'HTTP and security',
  Q: 'Scale and liveness',
};

/** @param {string} text @returns {Entry[]} */
function entriesOf(text) {
  return text
    .split('\n')
    .filter((line) => /^T-[A-Z]\d\d\|/.test(line))
    .map((line) => {
      const [id = '', layers = '', title = '', needs = null] = line.split('|');
      return { id, layers: [...layers], title, needs };
    });
}

/** The scenarios that are written, each with the layers on which it cannot run. @param {readonly SourceFile[]} files */
export function scenariosIn(files) {
  /** @type {Map<string, Map<string, string>>} */
  const written = new Map();
  for (const { path, text } of files) {
    if (!path.startsWith(`${GROUPS}/group-`)) continue;
    for (const part of text.split(/(?=\bid: 'T-)/).slice(1)) {
      const [, id = ''] = /^id: '(T-[A-Z]\d\d)'/.exec(part) ?? [];
      if (written.has(id)) throw new Error(`${id} is defined twice; the second time in ${path}.`);
      const [, notOn = ''] = /\bnotOn: \{([^}]*)\}/.exec(part) ?? [];
      const reasons = [...notOn.matchAll(/([A-Z]): '([^']*)'/g)];
      written.set(id, new Map(reasons.map(([, layer = '', because = '']) => [layer, because])));
    }
  }
  return written;
}

/** @param {readonly SourceFile[]} files @returns {Set<string>} the layers that have a driver */
function layersWithDriver(files) {
  const calls = files
    .filter(({ path }) => path.endsWith('.scenario.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(/registerScenarios\([^[]*\[([^\]]*)\]/g)]);
  return new Set(
    calls.flatMap(([, list = '']) => [...list.matchAll(/'([A-Z])'/g)].map(([, layer = '']) => layer)),
  );
}

/** @param {readonly SourceFile[]} files @returns {Set<string>} pairs such as `T-N01 L` of tests with an ID of their own */
function ownTests(files) {
  /** @type {Set<string>} */
  const pairs = new Set();
  for (const { path, text } of files) {
    const [, home = ''] = /^packages\/([^/]+)\/.*\.test\.ts$/.exec(path) ?? [];
    const layers =
      LAYERS_OF_FILE.find(([file]) => file.test(path))?.[1] ??
      LAYERS_OF_PACKAGE[/** @type {keyof typeof LAYERS_OF_PACKAGE} */ (home)] ??
      [];
    for (const [, names = ''] of text.matchAll(/\b(?:test|it|describe)\(\s*['"`]((?:T-[A-Z]\d\d[ ,:]*)+)/g))
      for (const [id] of names.matchAll(/T-[A-Z]\d\d/g))
        for (const layer of layers) pairs.add(`${id} ${layer}`);
  }
  return pairs;
}

/** @param {readonly SourceFile[]} files @returns {Row[]} */
export function coverageOf(files) {
  const entries = entriesOf(files.find(({ path }) => path === ENTRIES)?.text ?? '');
  const written = scenariosIn(files);
  const attached = layersWithDriver(files);
  const own = ownTests(files);
  for (const id of [...written.keys(), ...[...own].map((pair) => pair.slice(0, 5))])
    if (!entries.some((entry) => entry.id === id)) throw new Error(`${id} is not in the catalogue.`);
  return entries.map((entry) => {
    const notOn = written.get(entry.id);
    const isTested = (/** @type {string} */ layer) =>
      own.has(`${entry.id} ${layer}`) || (notOn !== undefined && attached.has(layer) && !notOn.has(layer));
    const open = entry.layers
      .filter((layer) => !isTested(layer))
      .map((layer) => ({ layer, because: openBecause(entry, layer, notOn, attached) }));
    return { entry, tested: entry.layers.filter(isTested), open };
  });
}

/** @param {Entry} entry @param {string} layer @param {Map<string, string> | undefined} notOn @param {Set<string>} attached */
function openBecause(entry, layer, notOn, attached) {
  const { lacks, name } = LAYERS[/** @type {keyof typeof LAYERS} */ (layer)];
  if (entry.needs !== null) return entry.needs.startsWith('nothing') ? entry.needs : `needs ${entry.needs}`;
  const reason = notOn?.get(layer);
  if (reason !== undefined) return reason;
  if (notOn !== undefined && !attached.has(layer) && lacks === 'a test')
    return `needs a driver for the ${name}`;
  return `needs ${lacks}`;
}

/** @param {readonly Row[]} rows */
export function pageOf(rows) {
  const layers = Object.keys(LAYERS);
  const count = (/** @type {string} */ layer, /** @type {'entry' | 'tested' | 'open'} */ what) =>
    rows.filter((row) =>
      what === 'entry'
        ? row.entry.layers.includes(layer)
        : what === 'tested'
          ? row.tested.includes(layer)
          : row.open.some((one) => one.layer === layer),
    ).length;
  const tested = rows.reduce((sum, row) => sum + row.tested.length, 0);
  const pairs = rows.reduce((sum, row) => sum + row.entry.layers.length, 0);
  const lines = [
    '# Scenarios',
    '',
    'Generated by `npm run scenarios`; do not edit.',
    '',
    'Each scenario is written once, in `packages/testkit/src/scenarios`, and runs on every layer that has a driver. Its test',
    'begins with its ID. One run of the engine in memory (model, memory store, simulated host) counts for U, M and S.',
    '',
    `**${tested} of ${pairs}** pairs of scenario and layer have a test.`,
    '',
    '| Layer | | Required | Tested | Open |',
    '|---|---|--:|--:|--:|',
    ...layers.map(
      (layer) =>
        `| ${layer} | ${LAYERS[/** @type {keyof typeof LAYERS} */ (layer)].name} | ${count(layer, 'entry')} | ${count(layer, 'tested')} | ${count(layer, 'open')} |`,
    ),
  ];
  for (const [group, title] of Object.entries(TITLES)) {
    lines.push('', `## ${group}. ${title}`, '', '| ID | Scenario | Tested on | Open |', '|---|---|---|---|');
    for (const row of rows.filter(({ entry }) => entry.id[2] === group))
      lines.push(
        `| ${row.entry.id} | ${row.entry.title} | ${row.tested.join(' ')} | ${openText(row.open)} |`,
      );
  }
  return `${lines.join('\n')}\n`;
}

/** @param {Row['open']} open */
function openText(open) {
  const reasons = [...new Set(open.map(({ because }) => because))];
  return reasons
    .map((reason) => {
      const where = open.filter(({ because }) => because === reason).map(({ layer }) => layer);
      return `${where.join(' ')}: ${reason}`;
    })
    .join('; ');
}

/** @param {string} root @param {string} folder @returns {SourceFile[]} */
function read(root, folder) {
  if (!existsSync(`${root}/${folder}`)) return [];
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : read(root, path);
    return path.endsWith('.ts') ? [{ path, text: readFileSync(`${root}/${path}`, 'utf8') }] : [];
  });
}

/** The expected page, and the present one (empty if there is none). @param {string} root */
export function pages(root) {
  const wanted = pageOf(coverageOf(read(root, 'packages')));
  const found = existsSync(`${root}/${PAGE}`) ? readFileSync(`${root}/${PAGE}`, 'utf8') : '';
  return { wanted, found };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  mkdirSync(dirname(`${root}/${PAGE}`), { recursive: true });
  const { wanted } = pages(root);
  writeFileSync(`${root}/${PAGE}`, wanted);
  console.log(/\*\*(.*)\*\*.*/.exec(wanted)?.[0]?.replaceAll('*', '') ?? '');
  console.log(`${PAGE} is written.`);
}
