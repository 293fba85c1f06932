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

/**
 * The rings of @mq/core: what a folder of packages/core/src may import besides itself.
 * `types` may be imported with `import type` only; `packages` are npm packages; null means any.
 */
const RINGS = {
  model: { folders: [], types: [], packages: ['zod', 'node:crypto'] },
  decide: { folders: ['model'], types: [], packages: [] },
  explain: { folders: ['model', 'decide'], types: [], packages: [] },
  forecast: { folders: ['model', 'decide', 'explain'], types: [], packages: [] },
  ports: { folders: [], types: ['model'], packages: [] },
  engine: {
    folders: ['decide', 'explain', 'ports', 'model', 'errors', 'events'],
    types: ['metrics'],
    packages: null,
  },
  metrics: { folders: ['model'], types: ['decide', 'ports'], packages: [] },
  errors: { folders: ['model'], types: ['decide', 'ports'], packages: ['zod'] },
  events: { folders: ['model'], types: ['decide', 'ports'], packages: ['eventemitter3'] },
};

/** Which packages of this workspace the sources of each package may import; server and examples wire, so: any. */
const PACKAGES = {
  core: [],
  'store-memory': ['core'],
  'store-postgres': ['core'],
  'host-git': ['core'],
  http: ['core'],
  testkit: ['core', 'store-memory'],
};

/** Entries that are not published, and who may use them besides tests. */
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

/** The ring of a file of core: its folder under src, or its own name when it lies directly there. @param {string} path */
function ringOf(path) {
  const [first = ''] = path.slice('packages/core/src/'.length).split('/');
  return first.replace(/\.[jt]s$/, '');
}

/**
 * @param {string} path
 * @param {readonly Import[]} imports
 * @returns {Violation[]}
 */
function ringViolations(path, imports) {
  const ring = ringOf(path);
  const allowed = RINGS[/** @type {keyof typeof RINGS} */ (ring)];
  if (!path.startsWith('packages/core/src/') || isTest(path) || !allowed) return [];
  const may = [...allowed.folders, ...allowed.types.map((folder) => `${folder} (types only)`)];
  const remedy = `${ring}/ may import ${[ring, ...may, ...(allowed.packages ?? ['any package'])].join(', ')}: move the code to the ring it belongs to, or pass what it needs as an argument.`;
  return imports.flatMap(({ name, line, typeOnly }) => {
    if (!name.startsWith('.')) {
      const isAllowed =
        allowed.packages === null || /** @type {string[]} */ (allowed.packages).includes(name);
      return isAllowed ? [] : [{ file: path, line, rule: `${ring}/ imports the package ${name}`, remedy }];
    }
    const target = posix.join(posix.dirname(path), name);
    if (!target.startsWith('packages/core/src/')) return [];
    const other = ringOf(target);
    const isAllowed =
      other === ring ||
      /** @type {string[]} */ (allowed.folders).includes(other) ||
      (typeOnly && /** @type {string[]} */ (allowed.types).includes(other));
    return isAllowed ? [] : [{ file: path, line, rule: `${ring}/ imports ${other}/`, remedy }];
  });
}

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
          remedy: 'Import the other package by its name; what it does not export is not for others.',
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
          remedy: `Import from '@mq/${imported}'; export there what is missing, if it is meant to be public.`,
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
  // Of a time that is given it reads no clock.
  if (ts.isNewExpression(node) && (node.arguments ?? []).length > 0) return null;
  const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
  return isMade && ts.isIdentifier(node.expression) && node.expression.text === 'Date' ? 'Date' : null;
}

/** @param {string} path @param {ts.SourceFile} source @returns {Violation[]} */
function sourceViolations(path, source) {
  if (!/^packages\/[^/]+\/src\//.test(path)) return [];
  /** @type {Violation[]} */
  const found = [];
  const mustBePure = /^packages\/core\/src\/(model|decide|explain|forecast)\//.test(path) && !isTest(path);
  walk(source, (node) => {
    const impurity = mustBePure ? impurityOf(node) : null;
    if (impurity) {
      found.push({
        file: path,
        line: lineOf(source, node),
        rule: `${impurity} in ${ringOf(path)}/`,
        remedy: 'model/, decide/, explain/ and forecast/ are pure: take the time or the seed as an argument.',
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
  if (lines > MAXIMUM_LINES) {
    found.push({
      file: path,
      line: MAXIMUM_LINES + 1,
      rule: `${lines} lines, at most ${MAXIMUM_LINES}`,
      remedy: 'Make two files of it, each with a purpose that needs no "and".',
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
      remedy: 'Put the code beside what it is about, under a name of the domain.',
    }));
}

/**
 * What breaks the rings and the house rules that a linter cannot see.
 * @param {readonly SourceFile[]} files
 * @returns {Violation[]}
 */
export function checkLayers(files) {
  return files.flatMap((file) => {
    const source = parse(file);
    const imports = importsOf(source);
    return [
      ...ringViolations(file.path, imports),
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
    return /\.[cm]?ts$/.test(path) ? [{ path, text: readFileSync(`${root}/${path}`, 'utf8') }] : [];
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
