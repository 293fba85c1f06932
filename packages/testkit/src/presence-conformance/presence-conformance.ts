import {
  COMMENT_CHARS_LIMIT,
  COMMENTS_PER_READ,
  type HostStatus,
  type PresenceHost,
  type RepoRef,
  type Sha,
  STATUS_CHARS_LIMIT,
} from '@mq/core';
import { rejection, type TestRunner } from '../store-conformance/world.js';

/** A repository of its own for one test, with an open pull request. */
export interface PresenceHostUnderTest {
  readonly host: PresenceHost;
  readonly repo: RepoRef;
  readonly pr: number;
  readonly head: Sha;
  /** Another account writes a comment; answers its id and that of its author. */
  comment(body: string): Promise<{ readonly id: string; readonly authorId: string }>;
  close?(): Promise<void>;
}

interface World extends PresenceHostUnderTest {
  readonly expect: TestRunner['expect'];
}

/** Markdown, HTML, several scripts and the marker of the queue: what a comment of the queue may consist of. */
const rich =
  '**bold** `code` &lt;b&gt; ✓ 🚀 @\u200beveryone\n\n<details><summary>More</summary>\n\n- one\n\n</details>\n\n<!-- mq:presence x 1 -->';

const statusOf = (state: HostStatus['state'], description: string = state): HostStatus => ({
  ...{ name: 'Merge Queue (feature/a b)', state, description, url: 'https://mq.example/main/1' },
});

const promises: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'names one account, by an id that stays': async ({ host, repo, expect }) => {
    const [first, second] = [await host.ownAccount(repo), await host.ownAccount(repo)];
    expect(first).toEqual(second);
    expect(first.id === '').toBe(false);
    expect(host.installationOf(repo)).toBe(host.installationOf({ ...repo }));
  },
  'answers a comment as it was written, with its author': async ({ host, repo, pr, expect }) => {
    const made = await host.createComment({ repo, pr }, rich);
    const own = await host.ownAccount(repo);
    expect([made.body, made.author.id, made.editedAt]).toEqual([rich, own.id, null]);
    expect(await host.getComment({ repo, pr }, made.id)).toEqual(made);
    expect((await host.listComments({ repo, pr })).comments).toEqual([made]);
  },
  'edits an own comment in place': async ({ host, repo, pr, expect }) => {
    const ref = { repo, pr };
    const { id, createdAt } = await host.createComment(ref, 'Waiting.');
    const edited = await host.editComment(ref, id, rich);
    expect([edited?.id, edited?.body, edited?.createdAt]).toEqual([id, rich, createdAt]);
    expect((await host.editComment(ref, id, rich))?.body).toBe(rich);
    expect((await host.listComments(ref)).comments.map(({ body }) => body)).toEqual([rich]);
  },
  'tells comments of others apart, and changes none of them': async ({ host, repo, pr, comment, expect }) => {
    const ref = { repo, pr };
    const { id, authorId } = await comment('Hello.');
    const own = await host.ownAccount(repo);
    expect([authorId === own.id, (await host.getComment(ref, id))?.author.id]).toEqual([false, authorId]);
    expect(await host.editComment(ref, id, 'Changed.')).toEqual(null);
    await host.removeComment(ref, id);
    expect((await host.getComment(ref, id))?.body).toBe('Hello.');
  },
  'removes an own comment, and does nothing the second time': async ({ host, repo, pr, expect }) => {
    const ref = { repo, pr };
    const { id } = await host.createComment(ref, 'Waiting.');
    await host.removeComment(ref, id);
    await host.removeComment(ref, id);
    expect(await host.getComment(ref, id)).toEqual(null);
    expect(await host.editComment(ref, id, 'Again.')).toEqual(null);
    expect((await host.listComments(ref)).comments).toEqual([]);
  },
  'lists a long discussion in pages, oldest first': async ({ host, repo, pr, expect }) => {
    const bodies = Array.from({ length: COMMENTS_PER_READ + 1 }, (_, index) => `comment ${index}`);
    for (const body of bodies) await host.createComment({ repo, pr }, body);
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await host.listComments({ repo, pr }, cursor ?? undefined);
      expect(page.comments.length <= COMMENTS_PER_READ).toBe(true);
      found.push(...page.comments.map(({ body }) => body));
      cursor = page.next;
    } while (cursor !== null);
    expect(found).toEqual(bodies);
  },
  'takes comments and descriptions up to their limits': async ({ host, repo, pr, head, expect }) => {
    const long = 'x'.repeat(COMMENT_CHARS_LIMIT);
    expect((await host.createComment({ repo, pr }, long)).body).toBe(long);
    const description = 'y'.repeat(STATUS_CHARS_LIMIT);
    await host.setStatus(repo, head, statusOf('pending', description));
    expect((await host.getStatus(repo, head, statusOf('pending').name))?.description).toBe(description);
  },
  'replaces the status of the same name on a commit': async ({ host, repo, head, expect }) => {
    const { name } = statusOf('pending');
    expect(await host.getStatus(repo, head, name)).toEqual(null);
    for (const state of ['pending', 'failure', 'pending', 'success'] as const) {
      await host.setStatus(repo, head, statusOf(state));
      await host.setStatus(repo, head, statusOf(state));
      expect(await host.getStatus(repo, head, name)).toEqual(statusOf(state));
    }
    await host.setStatus(repo, head, statusOf('neutral'));
    expect((await host.getStatus(repo, head, name))?.state === 'success').toBe(false);
    expect(await host.getStatus(repo, head, 'another')).toEqual(null);
  },
  'adds and removes labels, makes those that do not exist, and leaves others': async (world) => {
    const { host, repo, pr, expect } = world;
    const ref = { repo, pr };
    await host.changeLabels(ref, { add: ['bug', 'mq:queued'], remove: [] });
    await host.changeLabels(ref, { add: ['mq:testing', 'bug'], remove: ['mq:queued', 'mq:unknown'] });
    await host.changeLabels(ref, { add: ['mq:testing'], remove: ['mq:queued'] });
    expect([...(await host.getLabels(ref))].sort()).toEqual(['bug', 'mq:testing']);
  },
  'refuses for good what does not exist, as a fault of that alone': async ({ host, repo, expect }) => {
    const nowhere = { repo, pr: 999_999 };
    const calls = [
      () => host.createComment(nowhere, 'Hello.'),
      () => host.listComments(nowhere),
      () => host.changeLabels(nowhere, { add: ['bug'], remove: [] }),
      () => host.setStatus(repo, 'f'.repeat(40) as Sha, statusOf('pending')),
    ];
    for (const call of calls) {
      const error = await rejection(call());
      const { retry, reach } = error as { readonly retry?: unknown; readonly reach?: unknown };
      expect([retry, reach]).toEqual(['never', null]);
    }
  },
};

/** Tries every promise of the `PresenceHost` port on an implementation, through the port alone. */
export const presenceConformance = (
  { describe, test, expect }: TestRunner,
  makeHost: () => Promise<PresenceHostUnderTest>,
): void => {
  describe('a host that shows what the queue does', () => {
    for (const [sentence, keep] of Object.entries(promises))
      test(sentence, async () => {
        const made = await makeHost();
        try {
          await keep({ ...made, expect });
        } finally {
          await made.close?.();
        }
      });
  });
};
