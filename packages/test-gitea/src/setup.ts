import type { TestProject } from 'vitest/node';
import { type GiteaPlace, startForge } from './forge.js';

declare module 'vitest' {
  interface ProvidedContext {
    gitea: GiteaPlace;
  }
}

/** Starts one Gitea for all test files that need none of their own: `forgeAt(inject('gitea'))`. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const forge = await startForge();
  const { url, token, folder } = forge.gitea;
  project.provide('gitea', { url, token, folder });
  return () => forge.end();
};
