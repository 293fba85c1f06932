import type { Mutant } from '../src/bundle.js';

const story = 'core/test/presence.story.test.ts';
const later = 'core/test/presence-over-time.story.test.ts';
const writer = 'core/src/engine/presence-writer.test.ts';
const load = {
  file: 'core/src/engine/presenter.test.ts',
  test: 'with a thousand waiting and one landing a minute, every end is shown within two minutes, and the budget holds',
};

/** Bugs in what a queue shows at pull requests. Each names the test that fails with it. */
export const presence: readonly Mutant[] = [
  {
    name: 'forged-marker-counts',
    file: 'core/src/presence/marker.ts',
    find: '  if (author.id !== own.id) return null;\n',
    replace: '',
    why: 'a person who copies the marker into a comment stops the comment of the queue from being updated',
    caughtBy: { file: story, test: 'a marker in a comment of a person counts for nothing' },
  },
  {
    name: 'older-presence-wins',
    file: 'core/src/engine/presence-writer.ts',
    find: "    if (version !== null && version > this.ask.row.version) throw new Ended('overtaken');\n",
    replace: '',
    why: 'a presenter that stood still writes an old state over a newer one',
    caughtBy: { file: writer, test: 'a presenter that sees a comment of a newer version does nothing' },
  },
  {
    name: 'writes-without-lease',
    file: 'core/src/engine/presence-writer.ts',
    find: "    if (!this.ask.isHeld()) throw new Ended('lease_lost');\n",
    replace: '',
    why: 'two replicas write at one pull request at the same time',
    caughtBy: { file: writer, test: 'a presenter whose lease is over writes nothing more' },
  },
  {
    name: 'writes-without-paying',
    file: 'core/src/engine/presence-writer.ts',
    find: "    if (!(await this.ask.pay())) throw new Ended('over_budget');\n",
    replace: '    await this.ask.pay();\n',
    why: 'repairs exceed the budget of the installation',
    caughtBy: { file: writer, test: 'a presenter makes no write that is not paid for' },
  },
  {
    name: 'notice-made-twice',
    file: 'core/src/engine/presence-writer.ts',
    find: 'if (!hasNotice(await this.#comments(), await this.#account(), where)) {',
    replace: '{',
    why: 'people are notified again if the answer to the first comment was lost',
    caughtBy: {
      file: story,
      test: 'a host that fails makes no second comment if the answer to the first was lost: %s',
    },
  },
  {
    name: 'doubled-comments-stay',
    file: 'core/src/engine/presence-writer.ts',
    find: '    for (const { id } of doubles) await this.#whileLeased(() => host.removeComment(ref, id));\n',
    replace: '',
    why: 'two comments of the queue contradict each other for ever',
    caughtBy: {
      file: writer,
      test: 'a presenter that reads back removes what was written twice, the older of comments and the later of notices',
    },
  },
  {
    name: 'ends-are-not-read-back',
    file: 'core/src/engine/presenter.ts',
    find: 'readBackAt: isEnded && !isLastReadBack ? now + READ_BACK_AFTER_MS : null,',
    replace: 'readBackAt: null,',
    why: 'what a presenter that stood still wrote over the end of a pull request stays',
    caughtBy: {
      file: later,
      test: 'after an end what is shown is read back once and repaired, later than any earlier presenter could write',
    },
  },
  {
    name: 'any-read-back-is-the-last',
    file: 'core/src/engine/presenter.ts',
    find: 'isReadBack && readBackAt !== null && readBackAt <= now && now < readBackAt + READ_BACK_AFTER_MS;',
    replace: 'isReadBack && (readBackAt ?? 0) <= now;',
    why: 'what a presenter that stood still writes after the end was read stays',
    caughtBy: {
      file: later,
      test: 'what a stopped presenter writes once the next one has shown the end is removed',
    },
  },
  {
    name: 'late-read-back-is-the-last',
    file: 'core/src/engine/presenter.ts',
    find: ' && now < readBackAt + READ_BACK_AFTER_MS',
    replace: '',
    why: 'a comment that is written after an end was read back early, by a clock set ahead, stays',
    caughtBy: {
      file: 'core/src/engine/presenter.test.ts',
      test: 'an end that was read back early, since the clock was set ahead, is read back again',
    },
  },
  {
    name: 'presence-begins-with-the-first-look',
    file: 'core/src/engine/presenter.ts',
    find: 'Math.max(queue.createdAt, now - FIRST_LOOK_BACK_MS)',
    replace: 'now',
    why: 'a pull request that ends before the first look at its queue never shows it',
    caughtBy: {
      file: 'core/src/engine/presenter.test.ts',
      test: 'the ends of the day before the first look at a queue are shown, and no earlier ones',
    },
  },
  {
    name: 'a-host-that-hangs-stops-presence',
    file: 'core/src/engine/presenter.ts',
    find: '(this.#showing.size > 0 && this.#showing.size === this.#installations)',
    replace: 'this.#showing.size > 0',
    why: 'a code host that never answers delays by minutes what the others show',
    caughtBy: {
      file: 'core/test/several-hosts.story.test.ts',
      test: 'a host that never answers stops no other',
    },
  },
  {
    name: 'ends-wait-for-their-turn',
    file: 'core/src/presence/due.ts',
    find: 'Number(other.isEnd) - Number(one.isEnd) || ',
    replace: '',
    why: 'an end is shown hours later if many wait',
    caughtBy: load,
  },
  {
    name: 'routine-uses-the-whole-budget',
    file: 'core/src/presence/budget.ts',
    find: '  if (wanted.isRoutine) {\n',
    replace: '  if (wanted.isRoutine && spent.length < 0) {\n',
    why: 'nothing is left for the ends of the hour',
    caughtBy: load,
  },
  {
    name: 'budget-not-kept',
    file: 'core/src/presence/budget.ts',
    find: "  if (free > at) return { kind: 'refused', freeAt: free };\n",
    replace: '',
    why: 'the host refuses all calls of an installation that writes too much',
    caughtBy: {
      file: later,
      test: 'an end is shown at once, while what waits is shown as the budget allows',
    },
  },
  {
    name: 'next-is-not-shown',
    file: 'core/src/presence/facts.ts',
    find: 'waiting?.code ?? null, isNext, switches',
    replace: 'waiting?.code ?? null, switches',
    why: 'the next pull request does not show that it is next',
    caughtBy: { file: later, test: 'a pull request that becomes the next to be tested is shown as such' },
  },
  {
    name: 'switches-do-not-act-at-once',
    file: 'core/src/presence/facts.ts',
    find: 'isNext, switches(draft.queue)];',
    replace: 'isNext, switches.length];',
    why: 'a queue that begins to comment shows nothing until something else changes',
    caughtBy: { file: story, test: 'a setting that is switched on shows at once what was not shown' },
  },
  {
    name: 'comments-although-switched-off',
    file: 'core/src/presence/plan.ts',
    find: '  const notices = commentsEnabled\n',
    replace: '  const notices = commentsEnabled || statusCheckEnabled\n',
    why: 'a repository that wants no comments gets them',
    caughtBy: { file: story, test: 'a failure makes no comment if comments are switched off' },
  },
  {
    name: 'mentions-people',
    file: 'core/src/presence/escape.ts',
    find: "\n    .replaceAll('@'",
    replace: "\n    .replaceAll('\u2603'",
    why: 'a name in a reason notifies everyone in an organization',
    caughtBy: {
      file: story,
      test: 'text from people mentions, closes, embeds and formats nothing, and cannot look like a marker',
    },
  },
  {
    name: 'author-is-notified-of-the-own-cancel',
    file: 'core/src/presence/plan.ts',
    find: '![actor.name, actor.person, actor.id, actorName(actor)].includes(author)',
    replace: 'author !== null',
    why: 'an author who cancels gets a comment about it',
    caughtBy: {
      file: story,
      test: 'an author who cancels is not notified, and is notified of a cancel by others',
    },
  },
  {
    name: 'notices-without-bound',
    file: 'core/src/presence/plan.ts',
    find: 'Math.max(0, NOTICES_LIMIT - row.notices)',
    replace: 'NOTICES_LIMIT',
    why: 'a pull request that fails again and again drowns in comments',
    caughtBy: { file: later, test: 'one that fails again and again has a bounded number of comments' },
  },
];
