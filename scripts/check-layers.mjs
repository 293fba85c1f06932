import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

/**
 * @typedef {{ path: string, text: string }} SourceFile path from the root, with forward slashes
 * @typedef {{ file: string, line: number, rule: string, remedy: string }} Violation
 * @typedef {{ name: string, line: number, typeOnly: boolean }} Import
 */

const MAXIMUM_LINES = 350;
const VAGUE_FOLDERS = ['utils', 'common', 'helpers', 'types', 'services', 'managers'];

/** The rooms of decide/, lowest first. Each may import the rooms before it, and model/. decide.ts may import all. */
const DECIDE_ROOMS = ['draft', 'line', 'moves', 'entry', 'testing', 'landing', 'verdicts', 'inputs'].map(
  (room) => `decide/${room}`,
);
const PURE = ['model', ...DECIDE_ROOMS, 'decide'];

/**
 * The rooms of @mq/core, lowest first: what a folder of packages/core/src may import besides itself, types included.
 * `packages` are npm packages; null means any.
 * @type {Readonly<Record<string, { folders: readonly string[], packages: readonly string[] | null }>>}
 */
const ROOMS = {
  model: { folders: [], packages: ['zod', 'node:crypto'] },
  ...Object.fromEntries(
    DECIDE_ROOMS.map((room, index) => [
      room,
      { folders: ['model', ...DECIDE_ROOMS.slice(0, index)], packages: [] },
    ]),
  ),
  decide: { folders: ['model', ...DECIDE_ROOMS], packages: [] },
  explain: { folders: PURE, packages: [] },
  forecast: { folders: [...PURE, 'explain'], packages: [] },
  ports: { folders: ['model'], packages: [] },
  'host-commands': { folders: ['model'], packages: [] },
  errors: { folders: ['model'], packages: ['zod'] },
  metrics: { folders: ['model'], packages: [] },
  presence: { folders: [...PURE, 'explain', 'ports'], packages: [] },
  engine: {
    folders: [...PURE, 'explain', 'ports', 'presence', 'host-commands', 'errors'],
    packages: null,
  },
  validation: {
    folders: [...PURE, 'explain', 'ports', 'presence', 'host-commands', 'errors'],
    packages: null,
  },
  access: { folders: ['model', 'ports', 'errors', 'validation'], packages: null },
  inbound: { folders: ['model', 'ports', 'errors'], packages: null },
  webhooks: { folders: ['model', 'ports', 'errors', 'validation', 'access'], packages: null },
  api: {
    folders: [
      ...PURE,
      'explain',
      'forecast',
      'metrics',
      'ports',
      'presence',
      'host-commands',
      'errors',
      'engine',
      'validation',
    ],
    packages: null,
  },
};

/**
 * The workspace packages that the sources of each package may import. Server and examples wire packages, so they may
 * import any.
 */
const PACKAGES = {
  core: [],
  'store-memory': ['core'],
  'store-postgres': ['core'],
  'host-git': ['core'],
  'host-gitea': ['core', 'host-git'],
  http: ['core'],
  client: [],
  webhooks: ['core'],
  page: ['client'],
  cli: ['client', 'host-git'],
  testkit: ['core', 'store-memory'],
};

/** Unpublished entries, and the packages that may use them besides tests. */
const PRIVATE_ENTRIES = { '@mq/core/internals': ['bench'] };

/** @param {string} path */
const isTest = (path) => /\.test\.ts$/.test(path) || /^packages\/[^/]+\/test\//.test(path);

/**
 * @param {SourceFile} file
 * @returns {ts.SourceFile}
 */
function parse(file) {
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
}

/**
 * @param {ts.SourceFile} source
 * @param {(node: ts.Node) => void} visit
 */
function walk(source, visit) {
  const step = (/** @type {ts.Node} */ node) => {
    visit(node);
    ts.forEachChild(node, step);
  };
  step(source);
}

/** @param {ts.SourceFile} source @param {ts.Node} node */
const lineOf = (source, node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

/** @param {ts.Node} node @returns {{ specifier: ts.Expression, typeOnly: boolean } | null} */
function importIn(node) {
  if (ts.isImportDeclaration(node)) {
    const clause = node.importClause;
    const bindings = clause?.namedBindings;
    const allTypes =
      clause !== undefined &&
      !clause.name &&
      bindings !== undefined &&
      ts.isNamedImports(bindings) &&
      bindings.elements.length > 0 &&
      bindings.elements.every((element) => element.isTypeOnly);
    return { specifier: node.moduleSpecifier, typeOnly: clause?.isTypeOnly === true || allTypes };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { specifier: node.moduleSpecifier, typeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: /** @type {ts.Expression} */ (node.argument.literal), typeOnly: true };
  }
  const [argument] = ts.isCallExpression(node) ? node.arguments : [];
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && argument) {
    return { specifier: argument, typeOnly: false };
  }
  return null;
}

/** @param {ts.SourceFile} source @returns {Import[]} */
function importsOf(source) {
  /** @type {Import[]} */
  const found = [];
  walk(source, (node) => {
    const one = importIn(node);
    if (!one || !ts.isStringLiteralLike(one.specifier)) return;
    found.push({ name: one.specifier.text, line: lineOf(source, node), typeOnly: one.typeOnly });
  });
  return found;
}

/**
 * The room of a file of core: its folder under src, that under decide/, or its own name if it is directly in src.
 * @param {string} path
 */
function roomOf(path) {
  const [first = '', second = '', third] = path.slice('packages/core/src/'.length).split('/');
  return first === 'decide' && third !== undefined ? `decide/${second}` : first.replace(/\.[jt]s$/, '');
}

/**
 * @param {string} path
 * @param {readonly Import[]} imports
 * @returns {Violation[]}
 */
function roomViolations(path, imports) {
  if (!path.startsWith('packages/core/src/') || isTest(path)) return [];
  const room = roomOf(path);
  const allowed = ROOMS[room];
  if (allowed === undefined) return OPEN_ROOMS.includes(room) ? [] : [unknownRoom(path, room)];
  const remedy = `${room}/ may import ${[room, ...allowed.folders, ...(allowed.packages ?? ['any package'])].join(', ')}: move the code to the room it belongs to, or pass what it needs as an argument.`;
  return imports.flatMap(({ name, line }) => {
    if (!name.startsWith('.')) {
      const isAllowed = allowed.packages === null || allowed.packages.includes(name);
      return isAllowed ? [] : [{ file: path, line, rule: `${room}/ imports the package ${name}`, remedy }];
    }
    const target = posix.join(posix.dirname(path), name);
    if (!target.startsWith('packages/core/src/')) return [];
    const other = roomOf(target);
    if (other === room || allowed.folders.includes(other)) return [];
    return [{ file: path, line, rule: `${room}/ imports ${other}/`, remedy }];
  });
}

/** Files directly in src that re-export. */
const OPEN_ROOMS = ['index', 'internals'];

/** @param {string} path @param {string} room @returns {Violation} */
const unknownRoom = (path, room) => ({
  file: path,
  line: 1,
  rule: `${room} is not a room of packages/core/src`,
  remedy: `Move the file to one of ${Object.keys(ROOMS).join(', ')}, or add the room to ROOMS in scripts/check-layers.mjs, in its place in the order.`,
});

/**
 * @param {string} path
 * @param {readonly Import[]} imports
 * @returns {Violation[]}
 */
function packageViolations(path, imports) {
  const home = /^(?:packages|examples)\/([^/]+)\//.exec(path);
  if (!home || !/^(packages\/[^/]+\/(src|test)|examples\/[^/]+)\//.test(path)) return [];
  const allowed = path.includes('/src/')
    ? PACKAGES[/** @type {keyof typeof PACKAGES} */ (home[1])]
    : undefined;
  return imports.flatMap(({ name, line }) => {
    if (name.startsWith('.')) {
      if (posix.join(posix.dirname(path), name).startsWith(home[0])) return [];
      return [
        {
          file: path,
          line,
          rule: `${name} leaves the package`,
          remedy: 'Import the other package by name. What it does not export is private.',
        },
      ];
    }
    const [, imported = '', deep] = /^@mq\/([^/]+)(\/.*)?$/.exec(name) ?? [];
    if (!imported) return [];
    const mayUse = PRIVATE_ENTRIES[/** @type {keyof typeof PRIVATE_ENTRIES} */ (name)];
    if (deep && !mayUse?.includes(home[1] ?? '')) {
      return [
        {
          file: path,
          line,
          rule: `${name} reaches into a package`,
          remedy: `Import from '@mq/${imported}'. If something is missing there and should be public, export it.`,
        },
      ];
    }
    if (isTest(path) || !allowed || /** @type {string[]} */ (allowed).includes(imported)) return [];
    return [
      {
        file: path,
        line,
        rule: `${home[1]} imports ${name}`,
        remedy: `The sources of ${home[1]} may import ${allowed.map((each) => `@mq/${each}`).join(', ') || 'no package of this workspace'}: only server and examples wire packages together.`,
      },
    ];
  });
}

/** @param {ts.Node} node @returns {string | null} the impure thing a node does */
function impurityOf(node) {
  if (ts.isPropertyAccessExpression(node)) {
    const text = `${node.expression.getText()}.${node.name.text}`;
    return ['Math.random', 'Date.now'].includes(text) ? text : null;
  }
  // With an argument, Date does not read the clock.
  if (ts.isNewExpression(node) && (node.arguments ?? []).length > 0) return null;
  const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
  return isMade && ts.isIdentifier(node.expression) && node.expression.text === 'Date' ? 'Date' : null;
}

/** @param {string} path @param {ts.SourceFile} source @returns {Violation[]} */
function sourceViolations(path, source) {
  if (!/^packages\/[^/]+\/src\//.test(path)) return [];
  /** @type {Violation[]} */
  const found = [];
  const mustBePure =
    /^packages\/core\/src\/(model|decide|explain|forecast|presence)\//.test(path) && !isTest(path);
  walk(source, (node) => {
    const impurity = mustBePure ? impurityOf(node) : null;
    if (impurity) {
      found.push({
        file: path,
        line: lineOf(source, node),
        rule: `${impurity} in ${roomOf(path)}/`,
        remedy:
          'model/, decide/, explain/, forecast/ and presence/ are pure: take the time or the seed as an argument.',
      });
    }
    const isDefault =
      (ts.isExportAssignment(node) && !node.isExportEquals) ||
      node.kind === ts.SyntaxKind.DefaultKeyword ||
      (ts.isExportSpecifier(node) && node.name.text === 'default');
    if (isDefault) {
      found.push({
        file: path,
        line: lineOf(source, node),
        rule: 'export default',
        remedy: 'Export it by a name.',
      });
    }
  });
  const lines = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0);
  if (lines > MAXIMUM_LINES && !path.includes('/src/generated/')) {
    found.push({
      file: path,
      line: MAXIMUM_LINES + 1,
      rule: `${lines} lines, at most ${MAXIMUM_LINES}`,
      remedy: 'Split it into two files, each with one purpose.',
    });
  }
  return found;
}

/** @param {string} path @returns {Violation[]} */
function folderViolations(path) {
  return posix
    .dirname(path)
    .split('/')
    .filter((folder) => VAGUE_FOLDERS.includes(folder))
    .map((folder) => ({
      file: path,
      line: 1,
      rule: `a folder called ${folder}`,
      remedy: 'Put the code next to what it is about, under a name of the domain.',
    }));
}

/**
 * The violations of the rooms and of house rules that a linter cannot check.
 * @param {readonly SourceFile[]} files
 * @returns {Violation[]}
 */
export function checkLayers(files) {
  return files.flatMap((file) => {
    const source = parse(file);
    const imports = importsOf(source);
    return [
      ...roomViolations(file.path, imports),
      ...packageViolations(file.path, imports),
      ...sourceViolations(file.path, source),
      ...folderViolations(file.path),
    ];
  });
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {SourceFile[]}
 */
function readSources(root, folder) {
  if (!existsSync(`${root}/${folder}`)) return [];
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : readSources(root, path);
    return /\.[cm]?tsx?$/.test(path) ? [{ path, text: readFileSync(`${root}/${path}`, 'utf8') }] : [];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const files = [...readSources(root, 'packages'), ...readSources(root, 'examples')];
  const violations = checkLayers(files);
  for (const { file, line, rule, remedy } of violations)
    console.error(`${file}:${line}: ${rule}\n  ${remedy}`);
  console.log(
    violations.length === 0
      ? `${files.length} files keep to the layers.`
      : `${violations.length} ${violations.length === 1 ? 'violation' : 'violations'}.`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
