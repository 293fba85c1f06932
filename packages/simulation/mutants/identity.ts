import type { Mutant } from '../src/bundle.js';

const byId = 'core/test/repository-id.story.test.ts';
const byLetterCase = 'core/test/letter-case.story.test.ts';

/** Bugs in what a name of a repository means. */
export const identity: readonly Mutant[] = [
  {
    name: 'letter-case-counts',
    file: 'core/src/model/repo.ts',
    find: 'ignoresCase === true ? inLowerCase(path) : path',
    replace: 'path',
    why: 'a repository has a queue for each spelling of its name',
    caughtBy: {
      file: byLetterCase,
      test: 'a queue keeps the letter case that its host shows, and stays one after the host shows another',
    },
  },
  {
    name: 'letter-case-never-counts',
    file: 'core/src/validation/names.ts',
    find: 'this.ignoringCase.has(meant.host) ? { ...parts, ignoresCase: true } : parts',
    replace: '{ ...parts, ignoresCase: true }',
    why: 'two repositories whose names differ in letter case have one queue',
    caughtBy: {
      file: 'core/src/validation/names.test.ts',
      test: 'a canonical name says whether its host ignores letter case, whatever the given one says',
    },
  },
  {
    name: 'hints-in-other-letter-case-lost',
    file: 'core/src/api/create-merge-queue.ts',
    find: 'this.notice({ ...event, repo: this.#names.canonical(event.repo) })',
    replace: 'this.notice(event)',
    why: 'a hint that names the repository as the host does reaches no queue',
    caughtBy: {
      file: byLetterCase,
      test: 'a hint that names a repository in the letter case of the host is followed at once',
    },
  },
  {
    name: 'reused-names-are-trusted',
    file: 'core/src/api/hosts.ts',
    find: 'const withId: RepoRef = id === null ? repo : { ...repo, id };',
    replace: 'const withId: RepoRef = repo;',
    why: 'a queue goes on in another repository that was given its name',
    caughtBy: {
      file: byId,
      test: 'a repository that was deleted and created again stops its queue after a restart, and nothing in it is tested or failed',
    },
  },
];
