import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string): string =>
  fileURLToPath(new URL(`packages/${path}/src/index.ts`, import.meta.url));

/** Tests of rules before stories, which take ten times as long: most mutants fail one of them, and run no further. */
class RulesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isStory = ({ moduleId }: TestSpecification) => moduleId.endsWith('.story.test.ts');
    return [...files.filter((file) => !isStory(file)), ...files.filter(isStory)];
  }
}

// The tests that a mutant of `decide/` has to get past. Mutants live in a copy of the tree, whose node_modules lead back to
// the original: without the aliases the stories would run the engine as it is, and no mutant of it.
export default defineConfig({
  resolve: {
    alias: {
      '@mq/core': source('core'),
      '@mq/store-memory': source('store-memory'),
      '@mq/testkit': source('testkit'),
    },
  },
  test: {
    name: 'mutation',
    setupFiles: [fileURLToPath(new URL('scripts/property-seed.ts', import.meta.url))],
    include: ['packages/core/src/{decide,model}/**/*.test.ts', 'packages/core/test/**/*.story.test.ts'],
    // A walk costs as much as all rule tests together, and what it finds is said by no single rule.
    exclude: ['**/node_modules/**', '**/*.property.test.ts', '**/scale.story.test.ts'],
    // One worker that loads the tree once for each mutant: nothing in these tests outlives its test.
    pool: 'threads',
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: RulesFirst },
    testTimeout: 30_000,
  },
});
