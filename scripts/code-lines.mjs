// Counts code lines of TypeScript sources, without tests, comments and empty lines. node scripts/code-lines.mjs
// [--json] [folder ...]   (default: packages/core/src)
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** String literals, which may contain what looks like a comment, and comments. */
const TEXT_OR_COMMENT = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[\s\S]*?\*\//g;

/** @param {string} source */
const codeLines = (source) =>
  source
    .replace(TEXT_OR_COMMENT, (found) => (found.startsWith('/') ? '' : found))
    .split('\n')
    .filter((line) => line.trim() !== '').length;

/** @param {string} folder */
const sourcesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folders = positionals.length > 0 ? positionals : ['packages/core/src'];
const counts = folders.map((folder) => {
  const sources = sourcesIn(folder);
  const lines = sources.reduce((sum, path) => sum + codeLines(readFileSync(path, 'utf8')), 0);
  return { folder, files: sources.length, lines };
});
if (values.json) process.stdout.write(`${JSON.stringify(counts)}\n`);
else
  for (const { folder, files, lines } of counts)
    process.stdout.write(`${folder}: ${lines} code lines in ${files} files\n`);
