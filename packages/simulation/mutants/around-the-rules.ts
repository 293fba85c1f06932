import type { Mutant } from '../src/bundle.js';

/** Bugs around the rules, in the engine, in what is told and in receipts: each names the test that fails with it. */
export const aroundTheRules: readonly Mutant[] = [
  {
    name: 'room-leaks-with-refused-commits',
    file: 'core/src/engine/decider.ts',
    find: 'if (reserved !== null) hands?.take(reserved, leases);',
    replace: 'if (reserved !== null && leases.length > 0) hands?.take(reserved, leases);',
    why: 'after some commits that were refused nothing is carried out any more',
    caughtBy: {
      file: 'core/src/engine/delivery.test.ts',
      test: 'the room that is kept for wishes is given back where their commit is refused, or stays unclear',
    },
  },
  {
    name: 'late-answer-hides-the-inbox',
    file: 'core/src/engine/decider.ts',
    find: 'asked.mayWait || asked.commands.length + asked.deliveries.length > 0',
    replace: 'asked.commands.length + asked.deliveries.length > 0',
    why: 'what waits in the store is not looked at because an answer beside it came too late',
    caughtBy: {
      file: 'core/src/engine/delivery.test.ts',
      test: 'by somebody who held it too long does not keep what waits in the store from being decided',
    },
  },
  {
    name: 'refusals-forgotten',
    file: 'core/src/engine/decider.ts',
    find: "(result.ok || result.refusal.code !== 'COMMAND_BROKEN')",
    replace: 'result.ok',
    why: 'a request that was refused is carried out when it is repeated under its key',
    caughtBy: {
      file: 'core/src/engine/answers-kept.test.ts',
      test: 'a refusal is the answer to its key, whatever comes after it',
    },
  },
  {
    name: 'our-fault-kept-as-an-answer',
    file: 'core/src/engine/decider.ts',
    find: "digest !== null && (result.ok || result.refusal.code !== 'COMMAND_BROKEN');",
    replace: 'digest !== null;',
    why: 'what failed by a fault of the queue fails for a day',
    caughtBy: {
      file: 'core/src/engine/answers-kept.test.ts',
      test: 'what failed by our own fault is not the answer to its key',
    },
  },
  {
    name: 'expectation-never-over',
    file: 'core/src/engine/loop.ts',
    find: '        this.#expectedAt = Number.POSITIVE_INFINITY;\n',
    replace: '',
    why: 'a process that has nothing to do never sleeps longer than a millisecond',
    caughtBy: {
      file: 'core/src/engine/loop.test.ts',
      test: 'sleeps as long as ever once what was expected has come',
    },
  },
  {
    name: 'unknown-counts-as-moved-back',
    file: 'core/src/engine/carry-out.ts',
    find: '.catch(() => true)',
    replace: '.catch(() => false)',
    why: 'the queue raises an alarm because a question to the host has no answer',
    caughtBy: {
      file: 'core/src/engine/carry-out.test.ts',
      test: 'is told of also where the host does not say whether it has moved back',
    },
  },
  {
    name: 'merged-elsewhere-is-ours',
    file: 'core/src/engine/carry-out.ts',
    find: 'merged?.branch === branch && merged.commit !== null &&',
    replace: 'merged != null && merged.commit !== null &&',
    why: 'one that was merged into another branch is landed again',
    caughtBy: {
      file: 'core/src/engine/carry-out.test.ts',
      test: 'into another branch, or as another commit, has not',
    },
  },
  {
    name: 'moved-back-the-other-way-round',
    file: 'core/src/engine/carry-out.ts',
    find: '!(await host.contains(repo, branch.head, effect.known))',
    replace: '!(await host.contains(repo, effect.known, branch.head))',
    why: 'a push to the target counts as moved back, and what was moved back does not',
    caughtBy: {
      file: 'core/src/engine/carry-out.test.ts',
      test: 'a target that was known is looked for in what it is now, and not the other way round',
    },
  },
  {
    name: 'sweep-gives-up-a-listing',
    file: 'core/src/engine/sweep.ts',
    find: '        this.#isAllWanted = true;\n        this.#isAfterLoss ||= isAfterLoss;',
    replace: '        this.#isAfterLoss ||= isAfterLoss;',
    why: 'trials that nobody knows of stay for ten minutes because a listing failed once',
    caughtBy: {
      file: 'core/src/engine/sweep.test.ts',
      test: 'repositories that could not be listed are listed again',
    },
  },
  {
    name: 'alarm-takes-a-number-twice',
    file: 'core/src/engine/poison.ts',
    find: 'sequence: queue.sequence + 1,',
    replace: 'sequence: queue.sequence,',
    why: 'an alarm has the number of the row before it, and pages of history lose one of them',
    caughtBy: {
      file: 'core/src/engine/poison.test.ts',
      test: 'an answer about a run that cannot be taken in pauses the queue, since its question stays open',
    },
  },
  {
    name: 'gone-witness-awaited',
    file: 'core/src/explain/blame.ts',
    find: 'const witnesses = run.witnesses.filter((member) => isAwaited(draft, run, member));\n  if',
    replace: 'const witnesses = run.witnesses;\n  if',
    why: 'one that has left is told as awaited',
    caughtBy: {
      file: 'core/src/explain/whose-fault.test.ts',
      test: 'only who can still bear witness is awaited',
    },
  },
  {
    name: 'witness-without-it',
    file: 'core/src/explain/blame.ts',
    find: 'if (runs.length > 0) return runs.map(({ stack }) => stack);\n',
    replace: '',
    why: 'a test that does not hold a change is told to hold it',
    caughtBy: {
      file: 'core/src/explain/whose-fault.test.ts',
      test: 'who is tested without it is told as one that no longer stands behind it',
    },
  },
  {
    name: 'tip-and-ground-swapped',
    file: 'core/src/explain/control.ts',
    find: "ground === target.head\n        ? 'the queue",
    replace: "ground !== target.head\n        ? 'the queue",
    why: 'a test of a former tip is told to stop the queue',
    caughtBy: {
      file: 'core/src/explain/whose-fault.test.ts',
      test: 'what follows if it fails is told, on the present tip and on one of before',
    },
  },
  {
    name: 'story-of-the-wrong-attempt',
    file: 'core/src/reads.ts',
    find: "row.type === 'moved' && row.attempt === wanted && (row.from === null || row.to === 'not_ready')",
    replace: "row.type === 'moved' && row.attempt === wanted && row.from === null",
    why: 'the whole story of a second attempt is told to be a part of it',
    caughtBy: {
      file: 'core/src/reads.test.ts',
      test: 'tells each attempt of one whole, also where another came after it',
    },
  },
  {
    name: 'chain-begins-anywhere',
    file: 'core/src/model/verify-receipts.ts',
    find: 'else if (previous !== before.hash)',
    replace: 'else if (before.hash !== null && previous !== before.hash)',
    why: 'a chain whose beginning was cut off and numbered anew is whole',
    caughtBy: {
      file: 'core/src/model/verify-receipts.test.ts',
      test: 'begins with a receipt that follows nothing',
    },
  },
  {
    name: 'only-one-known-head',
    file: 'core/src/model/verify-receipts.ts',
    find: '...heads.flatMap((known)',
    replace: '...heads.slice(0, 1).flatMap((known)',
    why: 'a chain that was rewritten passes where its first known head is in it',
    caughtBy: {
      file: 'core/src/model/verify-receipts.test.ts',
      test: 'holds each of several heads that are known, by its number and its hash',
    },
  },
  {
    name: 'tested-below-or-above',
    file: 'core/src/model/verify-receipts.ts',
    find: 'members.findIndex((member) => member.pr === pr),\n',
    replace: 'members.length,\n',
    why: 'a tree that nobody tested passes where one that was tested above it lands above it',
    caughtBy: {
      file: 'core/src/model/verify-receipts.test.ts',
      test: 'of what was tested on one that lands above it in the same move tells of another order, and of nothing else',
    },
  },
  {
    name: 'part-landed-as-built',
    file: 'core/src/decide/receipts.ts',
    find: 'index === count - 1 ? { commit',
    replace: 'index === landing.members.length - 1 ? { commit',
    why: 'the last of a part that landed is told as it was built, and not as it became',
    caughtBy: {
      file: 'core/src/decide/receipts.test.ts',
      test: 'in part leaves receipts for that part only',
    },
  },
  {
    name: 'first-of-those-between',
    file: 'core/src/decide/receipts.ts',
    find: 'const last = others.at(-1);',
    replace: 'const last = others[0];',
    why: 'a receipt names the wrong commit as what came in between',
    caughtBy: {
      file: 'core/src/decide/receipts.test.ts',
      test: 'names the last of those that came in between, and all of their pull requests',
    },
  },
];
