import { startPostgres } from '@mq/test-postgres';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
  }
}

/** One server for all tests of this package. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { url, stop } = await startPostgres();
  project.provide('postgresUrl', url);
  return stop;
};
