import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const sources = new Map<string, string>(JSON.parse(readFileSync(process.env.PLANTED_SOURCES ?? '', 'utf8')));
const resolve = { conditions: ['mq-source', 'module', 'node', 'development|production'] };
export default defineConfig({
  root: '/tmp/mq/w-mut',
  plugins: [
    { name: 'planted-bug', enforce: 'pre', load: (id) => sources.get(id.replace(/\?.*$/, '')) ?? null },
  ],
  resolve,
  ssr: { resolve },
  test: {
    include: [
      'packages/core/{src,test}/**/*.test.ts',
      'packages/store-memory/test/**/*.scenario.test.ts',
      'packages/testkit/src/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/*.property.test.ts', '**/estimate.story.test.ts'],
    testTimeout: 30_000,
    pool: 'threads',
    isolate: false,
    fileParallelism: false,
  },
});
