import type { Mutant } from '../src/bundle.js';

/** Bugs in what is shown of a queue, now and over time. Each names the test that fails with it. */
export const views: readonly Mutant[] = [
  {
    name: 'removed-rows-stay-on-the-page',
    file: 'core/src/api/versioned-table.ts',
    find: 'removedIn > version && !this.#rows.has(key)',
    replace: 'removedIn > version + 1 && !this.#rows.has(key)',
    why: 'the page shows a pull request that has left the queue',
    caughtBy: {
      file: 'http/test/snapshot.test.ts',
      test: 'a reader of differences shows at each step what a reader of whole snapshots shows',
    },
  },
  {
    name: 'snapshot-computed-for-each-reader',
    file: 'core/src/api/cached-snapshot.ts',
    find: 'if (!this.#fresh.isOver && this.#version > 0) return true;',
    replace: '',
    why: 'each open page costs a computation of the whole line',
    caughtBy: {
      file: 'http/test/snapshot.test.ts',
      test: 'within a second a snapshot is not computed again, and a second later it is',
    },
  },
  {
    name: 'wrong-token-taken-for-none',
    file: 'http/src/public-read.ts',
    find: '|| bringsToken(headers)) return null;',
    replace: ') return null;',
    why: 'a revoked token goes on reading public queues, and its failed tries are not counted',
    caughtBy: {
      file: 'http/test/public-read.test.ts',
      test: 'a wrong token is refused by a public queue, and not taken for none',
    },
  },
  {
    name: 'every-queue-is-public',
    file: 'core/src/api/snapshots.ts',
    find: '(await this.#parts.reader.find(ref))?.settings.publicRead === true,',
    replace: '(await this.#parts.reader.find(ref)) !== null,',
    why: 'everyone reads queues that are not public',
    caughtBy: {
      file: 'http/test/public-read.test.ts',
      test: 'a queue that is not public gets the same 401 as one that does not exist, from every read of the page',
    },
  },
  {
    name: 'link-signs-in-behind-a-proxy',
    file: 'server/src/sign-in-link.ts',
    find: '    !isForwarded &&\n',
    replace: '',
    why: 'a client of a proxy on the machine of the server can use a link that it has seen',
    caughtBy: {
      file: 'server/src/sign-in-link.test.ts',
      test: 'the code is refused to %s, and stays good',
    },
  },
  {
    name: 'link-signs-in-twice',
    file: 'server/src/sign-in-link.ts',
    find: '      open = null;\n      return isInTime;',
    replace: '      return isInTime;',
    why: 'a link from the history of a browser signs in again',
    caughtBy: {
      file: 'server/src/sign-in-link.test.ts',
      test: 'the code of the link is in its fragment, has 128 bits, and is exchanged once for a token of its own',
    },
  },
  {
    name: 'past-order-without-the-landing',
    file: 'core/src/model/queue-at.ts',
    find: 'if (index >= 0) return index - landing.length;',
    replace: '',
    why: 'the page shows another order than the queue had while it landed something',
    caughtBy: {
      file: 'core/test/queue-at.story.test.ts',
      test: 'what was landing stood ahead of an urgent pull request that had passed as well',
    },
  },
  {
    name: 'past-urgent-one-ahead-in-a-pause',
    file: 'core/src/model/queue-at.ts',
    find: 'return standing.place === null && !isUrgentFirst ? 2 : 0;',
    replace: 'return 0;',
    why: 'the page shows an urgent pull request ahead of those that were tested while it could not start',
    caughtBy: {
      file: 'core/test/queue-at-walks.story.test.ts',
      test: 'the queue at 1,000 moments of walks is the one that was there then: members, order, states and test runs',
    },
  },
  {
    name: 'past-without-its-beginning',
    file: 'core/src/api/queue-at.ts',
    find: 'if (at < earliestAt) throw historyGone(earliestAt);',
    replace: '',
    why: 'a moment before the history that is kept is shown as an empty queue',
    caughtBy: {
      file: 'core/test/queue-at.story.test.ts',
      test: 'a moment before the history is refused, with the earliest one that can be answered',
    },
  },
  {
    name: 'time-in-queue-of-failures',
    file: 'core/src/model/summary.ts',
    find: "const isTimed = to === 'merged' && admittedAt !== null;",
    replace: 'const isTimed = admittedAt !== null;',
    why: 'failures that come soon make the median time to merge look short',
    caughtBy: {
      file: 'core/test/statistics.story.test.ts',
      test: 'statistics count landings, failures, time in queue, CI time by cause and failures of checks',
    },
  },
  {
    name: 'hour-summarized-before-its-end',
    file: 'core/src/engine/summaries.ts',
    find: 'hourOf((await store.now()) - HOUR_FINAL_MS)',
    replace: 'hourOf(await store.now())',
    why: 'a row that another replica commits late is missing in the statistics',
    caughtBy: {
      file: 'core/test/statistics.story.test.ts',
      test: 'an hour that is not over for ten minutes is not stored',
    },
  },
];
