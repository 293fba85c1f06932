import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const resolve = { conditions: ['mq-source', 'module', 'node', 'development|production'] };

/** Sources with a bug in them, by path, as JSON in this file: vitest is handed them where it would read the sources. */
const planted = new Map<string, string>(JSON.parse(readFileSync(process.env.PLANTED_SOURCES ?? '', 'utf8')));

// One test with a bug planted: `npm run mutants` sees whether it fails.
export default defineConfig({
  plugins: [
    { name: 'planted-bug', enforce: 'pre', load: (id) => planted.get(id.replace(/\?.*$/, '')) ?? null },
  ],
  resolve,
  ssr: { resolve },
  test: {
    name: 'planted',
    setupFiles: [fileURLToPath(new URL('scripts/property-seed.ts', import.meta.url))],
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.{story,scenario,conformance}.test.ts'],
    testTimeout: 30_000,
    pool: 'threads',
  },
});
