import type { Mutant } from '../src/bundle.js';

const sweeps = {
  file: 'core/src/engine/sweep.test.ts',
  test: 'a sweep drops candidates of lost test runs and keeps those of open ones',
};

/** Bugs that show when the store loses confirmed commits, or when the host is unavailable. */
export const lostCommits: readonly Mutant[] = [
  {
    name: 'commits-of-another-incarnation',
    file: 'store-memory/src/memory-store.ts',
    find: 'record.version !== commit.expected || isElsewhere)',
    replace: 'record.version !== commit.expected)',
    why: 'a commit decided before others were lost is accepted if its version happens to match',
    caughtBy: {
      file: 'core/src/engine/lost-commits.test.ts',
      test: 'a decision from before the store lost commits is repeated on the remaining state',
    },
  },
  {
    name: 'continues-from-lost-state',
    file: 'core/src/engine/working-set.ts',
    find: 'const isSame = delta === null || delta.incarnation === this.#incarnation;',
    replace: 'const isSame = delta === null || delta.incarnation.length > 0;',
    why: 'a process applies a delta to a state that was lost',
    caughtBy: {
      file: 'core/src/engine/working-set.test.ts',
      test: 'a new incarnation of the store is read completely once, and reported',
    },
  },
  {
    name: 'keeps-a-lost-commit',
    file: 'core/src/engine/working-set.ts',
    find: 'if (this.#state === null || incarnation !== this.#incarnation) return;',
    replace: 'if (this.#state === null) return;',
    why: 'a process keeps a commit that its store has lost',
    caughtBy: {
      file: 'core/src/engine/working-set.test.ts',
      test: 'a commit from before a new incarnation is not applied',
    },
  },
  {
    name: 'candidates-of-lost-runs-stay',
    file: 'core/src/engine/sweep.ts',
    find: 'if (await isOpen(repo, runId)) continue;',
    replace: 'if (!(await isOpen(repo, runId))) continue;',
    why: 'candidates of lost test runs are kept, and those of open ones are dropped',
    caughtBy: sweeps,
  },
  {
    name: 'sweeps-without-need',
    file: 'core/src/engine/sweep.ts',
    find: '  #isAllWanted = false;\n',
    replace: '  #isAllWanted = true;\n',
    why: 'every pass lists all candidates of the host',
    caughtBy: {
      file: 'core/src/engine/sweep.test.ts',
      test: 'a sweep drops nothing without a request',
    },
  },
  {
    name: 'forbidden-is-never-cleared',
    file: 'core/src/engine/performer.ts',
    find: "effect.type === 'land' || (isCleaning(effect) && tries < CLEANING_TRIES_LIMIT);",
    replace: "effect.type === 'land';",
    why: 'a candidate that cannot be dropped while the host forbids everything is kept forever',
    caughtBy: {
      file: 'core/src/engine/performer.test.ts',
      test: 'a cleanup effect is retried for a long time',
    },
  },
  {
    name: 'built-before-it-was-refused',
    file: 'core/src/decide/inputs/facts/checks.ts',
    find: "    if (fact.runId !== null) draft.request({ type: 'drop_candidate', runId: fact.runId });\n",
    replace: '',
    why: 'a candidate that an earlier try had built before the build was refused is kept forever',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/effect-failed.test.ts',
      test: 'an effect that the host can never perform for a closed run drops the candidate that an earlier try may have built',
    },
  },
  {
    name: 'part-of-a-queue-for-all-of-it',
    file: 'core/src/engine/working-set.ts',
    find: 'if (this.#version !== since && this.#state === null) continue;',
    replace: '',
    why: 'a process that drops a queue during a load takes the delta for the whole state',
    caughtBy: {
      file: 'core/src/engine/working-set.test.ts',
      test: 'a working set reads everything if it was dropped during a read',
    },
  },
  {
    name: 'assumed-absent-without-a-check',
    file: 'core/src/engine/decider.ts',
    find: 'absent: recalled === emptyRecall ? absentFor(loaded.state, open) : null,',
    replace: 'absent: null,',
    why: 'a pull request that was in the queue before is taken for new',
    caughtBy: {
      file: 'core/src/engine/recall.test.ts',
      test: 'earlier rows found by the commit are used for the next try',
    },
  },
  {
    name: 'remembered-beside-others',
    file: 'core/src/engine/working-set.ts',
    find: 'incarnation === null || !this.#isAlone',
    replace: 'incarnation === null',
    why: 'with another replica on the queue every command is first decided in vain',
    caughtBy: {
      file: 'core/src/engine/recall.test.ts',
      test: 'earlier rows are read while another process writes to the queue',
    },
  },
  {
    name: 'parts-of-a-lost-load',
    file: 'store-postgres/src/run-parts.ts',
    find: '      found.incarnation === incarnation &&\n',
    replace: '',
    why: 'a test run is stored without parts that only a lost database had',
    caughtBy: {
      file: 'store-postgres/src/run-parts.test.ts',
      test: 'parts of another incarnation do not count as stored after a load or commit',
    },
  },
  {
    name: 'parts-of-a-lost-commit',
    file: 'store-postgres/src/run-parts.ts',
    find: 'found?.version === expected && found.incarnation === incarnation',
    replace: 'found?.version === expected',
    why: 'a test run is stored without its candidate, which only a lost database had',
    caughtBy: {
      file: 'store-postgres/src/run-parts.test.ts',
      test: 'parts of another incarnation do not count as stored after a load or commit',
    },
  },
  {
    name: 'parts-of-another-version',
    file: 'store-postgres/src/run-parts.ts',
    find: 'found?.version === expected && found.incarnation',
    replace: 'found !== undefined && found.incarnation',
    why: 'a test run is stored without parts that another process has changed',
    caughtBy: {
      file: 'store-postgres/src/run-parts.test.ts',
      test: 'a commit based on an unknown version makes only its own runs known',
    },
  },
];
