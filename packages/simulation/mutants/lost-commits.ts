import type { Mutant } from '../src/bundle.js';

const sweeps = {
  file: 'core/src/engine/sweep.test.ts',
  test: 'candidates of runs that it has lost are dropped, and those of open runs are left to their queue',
};

/** Bugs that a merge queue could have where its store loses what it had confirmed, or where its host serves nobody. */
export const lostCommits: readonly Mutant[] = [
  {
    name: 'commits-of-another-incarnation',
    file: 'store-memory/src/memory-store.ts',
    find: 'record.version !== commit.expected || isElsewhere)',
    replace: 'record.version !== commit.expected)',
    why: 'what was decided on lost commits is taken where the version is the same by chance',
    caughtBy: {
      file: 'core/src/engine/lost-commits.test.ts',
      test: 'what was decided before the store lost commits is decided anew on what is left',
    },
  },
  {
    name: 'goes-on-from-what-was-lost',
    file: 'core/src/engine/working-set.ts',
    find: 'const isSame = delta === null || delta.incarnation === this.#incarnation;',
    replace: 'const isSame = true;',
    why: 'a process lays what changed over a state that never was',
    caughtBy: {
      file: 'core/src/engine/working-set.test.ts',
      test: 'reads all of it again, once, and says so',
    },
  },
  {
    name: 'takes-in-a-lost-commit',
    file: 'core/src/engine/working-set.ts',
    find: 'if (this.#state === null || incarnation !== this.#incarnation) return;',
    replace: 'if (this.#state === null) return;',
    why: 'a process takes a commit in that its store has lost meanwhile',
    caughtBy: { file: 'core/src/engine/working-set.test.ts', test: 'takes in no commit of before' },
  },
  {
    name: 'candidates-of-lost-runs-stay',
    file: 'core/src/engine/sweep.ts',
    find: 'if (await isOpen(repo, runId)) continue;',
    replace: 'if (!(await isOpen(repo, runId))) continue;',
    why: 'candidates of runs that the store has lost are kept, and those of others are dropped',
    caughtBy: sweeps,
  },
  {
    name: 'sweeps-without-need',
    file: 'core/src/engine/sweep.ts',
    find: '  #isAllWanted = false;\n',
    replace: '  #isAllWanted = true;\n',
    why: 'every pass looks through the candidates of the host',
    caughtBy: {
      file: 'core/src/engine/sweep.test.ts',
      test: 'nothing is dropped that nobody wants dropped',
    },
  },
  {
    name: 'forbidden-is-never-cleared',
    file: 'core/src/engine/performer.ts',
    find: "effect.type === 'land' || (isCleaning(effect) && tries < CLEANING_TRIES_LIMIT);",
    replace: "effect.type === 'land';",
    why: 'what the host forbids to drop while it forbids everything is kept for ever',
    caughtBy: {
      file: 'core/src/engine/performer.test.ts',
      test: 'is tried again for a long time where something is to be cleared away: nobody else will',
    },
  },
  {
    name: 'built-before-it-was-refused',
    file: 'core/src/decide/inputs/facts/checks.ts',
    find: "    if (fact.runId !== null) draft.request({ type: 'drop_candidate', runId: fact.runId });\n",
    replace: '',
    why: 'a candidate whose build was refused, after a try that had built it, is kept for ever',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/effect-failed.test.ts',
      test: 'for a run that is over has what an earlier try may have built dropped',
    },
  },
  {
    name: 'part-of-a-queue-for-all-of-it',
    file: 'core/src/engine/working-set.ts',
    find: 'if (this.#version !== since && this.#state === null) continue;',
    replace: '',
    why: 'who forgets a queue while it asks what has changed takes that for all there is',
    caughtBy: {
      file: 'core/src/engine/working-set.test.ts',
      test: 'starts over also where it was told to forget while it asked what had changed',
    },
  },
  {
    name: 'granted-and-never-asked',
    file: 'core/src/engine/decider.ts',
    find: 'absent: recalled === emptyRecall ? absentFor(loaded.state, open) : null,',
    replace: 'absent: null,',
    why: 'whoever was in the queue before is taken for new',
    caughtBy: {
      file: 'core/src/engine/recall.test.ts',
      test: 'is told by the commit where it was here before, and is decided on that',
    },
  },
  {
    name: 'remembered-beside-others',
    file: 'core/src/engine/working-set.ts',
    find: 'incarnation === null || !this.#isAlone',
    replace: 'incarnation === null',
    why: 'beside another replica every command is first decided in vain',
    caughtBy: {
      file: 'core/src/engine/recall.test.ts',
      test: 'is read where somebody else has just written to the queue, until nobody does',
    },
  },
  {
    name: 'parts-of-a-lost-load',
    file: 'store-postgres/src/run-parts.ts',
    find: '      known.incarnation === incarnation &&\n',
    replace: '',
    why: 'a run is stored without what it tests, since a database that was lost had it',
    caughtBy: {
      file: 'store-postgres/src/run-parts.test.ts',
      test: 'is nothing of what another incarnation held, whether it was loaded or committed since',
    },
  },
  {
    name: 'parts-of-a-lost-commit',
    file: 'store-postgres/src/run-parts.ts',
    find: 'known?.version === expected && known.incarnation === incarnation',
    replace: 'known?.version === expected',
    why: 'a run is stored without its candidate, since a database that was lost had it',
    caughtBy: {
      file: 'store-postgres/src/run-parts.test.ts',
      test: 'is nothing of what another incarnation held, whether it was loaded or committed since',
    },
  },
  {
    name: 'parts-of-another-version',
    file: 'store-postgres/src/run-parts.ts',
    find: 'known?.version === expected && known.incarnation',
    replace: 'known !== undefined && known.incarnation',
    why: 'a run is stored without what another process has stored of it otherwise',
    caughtBy: {
      file: 'store-postgres/src/run-parts.test.ts',
      test: 'is nothing of other runs, where a commit was decided on what is not known here',
    },
  },
];
