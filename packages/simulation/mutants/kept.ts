import type { Mutant } from '../src/bundle.js';

/** Bugs in what is kept from one decision to the next, or within one: what was derived is believed though it is not so any more. */
export const kept: readonly Mutant[] = [
  {
    name: 'line-ends-where-others-stand',
    file: 'core/src/decide/positions.ts',
    find: 'return placed.all.slice(0, enough[waiting] ?? end);',
    replace: 'return placed.all.slice(0, enough[waiting]);',
    why: 'who was put in line by a decision that was given up, or by a look past one, stands in line',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'by whoever looked while a commit was under way stands in line no more where that let him go',
    },
  },
  {
    name: 'placed-in-a-former-attempt',
    file: 'core/src/decide/standpoint.ts',
    find: '    member.attempt === submission.attempt &&\n',
    replace: '',
    why: 'whoever leaves and is submitted again at once stands in line with the attempt that has ended',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'and is submitted again within one decision stands there with the new attempt',
    },
  },
  {
    name: 'called-after-it-was-placed',
    file: 'core/src/decide/standpoint.ts',
    find: ' &&\n    isSameSet(awaited, awaitedBy(ties, submission))',
    replace: '',
    why: 'whoever is called to bear witness while it stands in line is not tested with the failed one',
    caughtBy: {
      file: 'core/src/decide/positions.test.ts',
      test: 'that is called once it stands in line is tested on each failed one from then on',
    },
  },
  {
    name: 'place-of-one-who-left',
    file: 'core/src/decide/placed.ts',
    find: '    for (const { member } of this.#all.slice(count)) this.#places.delete(member.submissionId);\n',
    replace: '',
    why: 'one who has left is taken for whoever stands in its place now',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'and has left does not stand where another one stands now',
    },
  },
  {
    name: 'stack-of-another-line',
    file: 'core/src/decide/placed.ts',
    find: 'positionsAt(inPlay, lanes.aheadOf(below))',
    replace: 'positionsAt(this.#inPlay, lanes.aheadOf(below))',
    why: 'on whom one stood is made up from those who have been placed since',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'is told on whom he stood then, whoever is placed since',
    },
  },
  {
    name: 'cut-lanes-keep-holders',
    file: 'core/src/model/lanes.ts',
    find: 'this.#takeBack(target, before[index] ?? NOBODY);',
    replace: 'if (index === 0) this.#takeBack(target, before[index] ?? NOBODY);',
    why: 'somebody stands behind one who has left the lane that they had in common',
    caughtBy: {
      file: 'core/src/model/lanes.test.ts',
      test: 'that are cut are what they were when so many had joined, and go on from there',
    },
  },
  {
    name: 'cut-lanes-keep-barriers',
    file: 'core/src/model/lanes.ts',
    find: 'lanes.#barriers.push(...this.#barriers.filter((place) => place < length));',
    replace: 'lanes.#barriers.push(...this.#barriers);',
    why: 'everybody stands behind one that touched everything and has left',
    caughtBy: {
      file: 'core/src/model/lanes.test.ts',
      test: 'that are cut are what they were when so many had joined, and go on from there',
    },
  },
  {
    name: 'orders-of-the-state-are-changed',
    file: 'core/src/model/indexes.ts',
    find: 'this.#own[name] = rows.slice();',
    replace: 'this.#own[name] = this.#base[name];',
    why: 'whoever looks while a commit is under way sees a line that is not committed yet',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'by whoever looked while a commit was under way stands in line no more where that let him go',
    },
  },
  {
    name: 'memos-of-before-the-last-change',
    file: 'core/src/model/memo.ts',
    find: '      if (known.revision === revision) memo.',
    replace: '      memo.',
    why: 'what a decision derived before its last change is believed by the next one',
    caughtBy: {
      file: 'core/src/decide/known.test.ts',
      test: 'what was derived last is handed over to whoever goes on from there, and nothing that has changed since',
    },
  },
  {
    name: 'memos-beyond-what-others-wrote',
    file: 'core/src/model/memo.ts',
    find: "line: kept('line')",
    replace: 'line: memos.line',
    why: 'the line stays as it was though another process has committed who stands where',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'stands elsewhere once others have committed who stands where',
    },
  },
  {
    name: 'patch-of-an-older-copy',
    file: 'core/src/decide/draft-rows.ts',
    find: 'patched !== undefined && patched.of === known ?',
    replace: 'patched !== undefined ?',
    why: 'a row that is patched through an older copy takes back what nobody looks at then',
    caughtBy: {
      file: 'core/src/decide/placed.test.ts',
      test: 'is found anew where a row was patched through a copy that was not the last one',
    },
  },
  {
    name: 'sound-by-one-of-the-batch',
    file: 'core/src/decide/proof.ts',
    find: 'return where?.every((place',
    replace: 'return where?.some((place',
    why: 'a batch is landed as it was tested although one of it stands elsewhere',
    caughtBy: {
      file: 'core/src/decide/proof.test.ts',
      test: 'or does not, once one of its batch stands elsewhere, though the first of them stands where it stood',
    },
  },
  {
    name: 'first-deadline-of-other-runs',
    file: 'core/src/decide/expire.ts',
    find: "draft.known.from('runs', 'first deadline'",
    replace: "draft.known.from('failures', 'first deadline'",
    why: 'a run is given up too late whose time was made shorter',
    caughtBy: {
      file: 'core/src/decide/expire.test.ts',
      test: 'the queue is woken at a deadline that is set sooner in the same decision',
    },
  },
  {
    name: 'rules-rest-too-soon',
    file: 'core/src/decide/decide.ts',
    find: 'quiet = changes(draft, rule) ? 0 : quiet + 1;',
    replace: 'quiet = changes(draft, rule) ? quiet : quiet + 1;',
    why: 'what one rule changes another does not see before somebody lands',
    caughtBy: {
      file: 'core/src/decide/decide.property.test.ts',
      test: 'deciding again at once, with nothing new, changes nothing',
    },
  },
];
