import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliFiles } from './generate-cli.js';
import { clientFiles } from './generate-client.js';
import { referenceFiles } from './generate-http-reference.js';
import { pageFiles } from './generate-page.js';
import { referencePages } from './generate-reference.js';
import { main } from './machine.mjs';
import { knownIn, PAGE as MUTATION_PAGE, pageOf as mutationPage, requireLines } from './mutation.mjs';
import { PAGE, pages } from './scenario-coverage.mjs';

// Writes every generated page, or lists with --check those that are out of date: npm run generate

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const mutations = knownIn(ROOT);
main(async () => requireLines(mutations, ROOT));

const httpReference = await referenceFiles();

const wanted: Readonly<Record<string, string>> = {
  ...referencePages(),
  ...httpReference,
  ...cliFiles(),
  ...(await clientFiles(httpReference['docs/reference/openapi.json'] ?? '')),
  ...pageFiles(httpReference['docs/reference/openapi.json'] ?? ''),
  [PAGE]: pages(ROOT).wanted,
  [MUTATION_PAGE]: mutationPage(mutations),
};

/** JSON is compared as data, because the formatter may change the layout. */
const isAsWanted = (path: string, text: string): boolean => {
  const file = join(ROOT, path);
  if (!existsSync(file)) return false;
  const written = readFileSync(file, 'utf8');
  const said = (json: string): string => JSON.stringify(JSON.parse(json));
  return path.endsWith('.json') ? said(written) === said(text) : written === text;
};

const stale = Object.entries(wanted).filter(([path, text]) => !isAsWanted(path, text));

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not what the code says.`);
  if (stale.length > 0) {
    console.error('\n✖ Run `npm run generate`, look at what it changed, and commit it.');
    process.exitCode = 1;
  } else console.log(`${Object.keys(wanted).length} pages are what the code says.`);
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`${path} is written.`);
  }
  if (stale.length === 0) console.log('Every page is what the code says already.');
}
