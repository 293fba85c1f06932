import type { LandRequest, Sha, TestRunId } from '@mq/core';
import { shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aGiteaPull, ServerlessApi, TIP } from '../test/gitea-fakes.js';
import { land } from './land.js';
import type { Found, Pulls } from './pulls.js';

const CANDIDATE_REF = 'refs/heads/mq/run-1';
const CANDIDATE = { ref: CANDIDATE_REF, commit: shaOf(2000), tree: shaOf(2001), steps: [] };

/** Fails to mark #1. */
class FailingApi extends ServerlessApi {
  readonly marked: string[] = [];

  override async call(path: string) {
    const isMarked = !path.includes('/pulls/1/');
    if (isMarked) this.marked.push(path);
    return { status: isMarked ? 200 : 500, value: null, date: null };
  }
}

/** Lands #1 and #2 at a host that shows these pull requests. Returns the outcome, and whether the candidate was dropped. */
const landing = async (found: readonly Found[]) => {
  const api = new FailingApi();
  const unmarked: number[] = [];
  let candidates: ReadonlyMap<string, Sha> = new Map([[CANDIDATE_REF, CANDIDATE.commit]]);
  const parts = {
    api,
    path: '/repos/team/app',
    mirror: {
      landings: {
        look: async () => ({ tip: TIP, candidates, hasLanded: false }),
        fault: async () => null,
        advance: async () => ({ kind: 'pushed' }) as const,
        remember: async () => {},
      },
      tip: async () => TIP,
      contains: async () => true,
      dropBranches: async () => {
        candidates = new Map();
      },
    },
    pulls: { read: async () => found } as Pick<Pulls, 'read'>,
    onUnmarked: ({ pr }: { readonly pr: number }) => void unmarked.push(pr),
    pause: async () => {},
    failingSince: new Map(),
  };
  const request: LandRequest = {
    repo: { host: 'gitea', owner: 'team', name: 'app' },
    branch: 'main',
    onto: TIP,
    candidate: CANDIDATE,
    runId: 'run-1' as TestRunId,
    members: [1, 2].map((pr) => ({ pr, head: shaOf(pr) })),
  };
  const outcome = await land(parts, request).catch((error: Error) => error.message);
  return { outcome, isDropped: candidates.size === 0, marked: api.marked, unmarked };
};

test('a landing is refused for the pull request that the host cannot show, and its candidate is dropped', async () => {
  const message = 'The host answers for the repository, and not for #2 (500).';
  expect(await landing([aGiteaPull(1), { number: 2, unreadable: message }])).toEqual({
    outcome: { kind: 'refused', class: 'wait', pr: 2, message: `#2 cannot be read: ${message}` },
    ...{ isDropped: true, marked: [], unmarked: [] },
  });
});

test('a changed pull request is named although the host cannot show another one of the landing', async () => {
  const draft = { ...aGiteaPull(1), draft: true };
  expect(await landing([draft, { number: 2, unreadable: 'It cannot be shown.' }])).toMatchObject({
    outcome: { kind: 'members_changed', pulls: [{ number: 1, draft: true }], missing: [] },
    isDropped: true,
  });
});

test('a pull request that the host fails to mark does not keep the others of its landing unmarked', async () => {
  expect(await landing([aGiteaPull(1), aGiteaPull(2)])).toMatchObject({
    outcome: '#1 has landed and is not marked yet: ',
    marked: ['/repos/team/app/pulls/2/merge'],
  });
});
