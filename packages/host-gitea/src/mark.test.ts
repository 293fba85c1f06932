import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { shaOf } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { GiteaApi } from './api.js';
import { MARK_WAIT_MS, markMerged, type UnmarkedPull } from './mark.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SAME_TIME = 'ChangeIssueStatus: Pull Request [id: 146, repo_id: 125, index: 1] is already closed.';

interface Case {
  /** Since when the host has failed to mark #1; absent if it has not. */
  readonly failingMs?: number;
  readonly isOnTarget?: boolean;
}

/** Marks #1 at a host that answers the marks with these statuses in turn, and shows #1 as merged after `mergedAfter` of them. */
const marking = async (
  answers: readonly (readonly [number, string])[],
  mergedAfter: number,
  { failingMs, isOnTarget = true }: Case = {},
) => {
  let marks = 0;
  const server = createServer((_request, response) => {
    const [status, message] = answers[marks] ?? [200, ''];
    marks += 1;
    response.statusCode = status;
    response.end(JSON.stringify({ message }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const unmarked: UnmarkedPull[] = [];
  const pauses: number[] = [];
  const fault = await markMerged(
    {
      api: new GiteaApi({ url, token: () => 'token', stop: new AbortController().signal }),
      path: '/repos/team/app',
      pulls: { read: async () => [{ number: 1, merged: marks >= mergedAfter }] as never },
      onUnmarked: (each) => void unmarked.push(each),
      failingSince: new Map(failingMs === undefined ? [] : [[1, NOW - failingMs]]),
      isOnTarget: async () => isOnTarget,
      now: () => NOW,
      pause: async (delayMs) => pauses.push(delayMs),
    },
    { pr: 1, commit: shaOf(1) },
  ).then(
    () => null,
    (error: Error) => error.message,
  );
  return { marks, fault, pauses, unmarked: unmarked.map(({ message }) => message) };
};

test('a mark that fails because another process has made it at the same time is done', async () => {
  expect(await marking([[500, SAME_TIME]], 1)).toEqual({ marks: 1, fault: null, pauses: [], unmarked: [] });
});

test('a mark that the host fails to make is retried', async () => {
  const answers = [
    [500, 'database is locked'],
    [409, 'not yet'],
  ] as const;
  expect(await marking(answers, 3)).toEqual({ marks: 3, fault: null, pauses: [200, 400], unmarked: [] });
});

test('a mark that the host keeps failing to make is an error that is retried later', async () => {
  const answers = Array.from({ length: 9 }, () => [500, 'disk full'] as const);
  expect(await marking(answers, 9)).toEqual({
    marks: 5,
    fault: '#1 has landed and is not marked yet: disk full',
    pauses: [200, 400, 600, 800],
    unmarked: [],
  });
});

test('a mark that the repository does not allow is reported once, and not retried', async () => {
  expect(await marking([[405, 'manual merges are off']], 9)).toEqual({
    marks: 1,
    fault: null,
    pauses: [],
    unmarked: ['manual merges are off'],
  });
});

test('a mark that the host has failed to make for ten minutes is reported once, and the landing is over', async () => {
  const answers = Array.from({ length: 9 }, () => [500, 'disk full'] as const);
  expect(await marking(answers, 9, { failingMs: MARK_WAIT_MS })).toEqual({
    ...{ marks: 5, fault: null, pauses: [200, 400, 600, 800], unmarked: ['disk full'] },
  });
});

test('a pull request whose commit is no longer on the target is reported as unmarked', async () => {
  const answers = Array.from({ length: 9 }, () => [409, 'Wrong commit ID'] as const);
  expect(await marking(answers, 9, { isOnTarget: false })).toEqual({
    ...{ marks: 5, fault: null, pauses: [200, 400, 600, 800], unmarked: ['Wrong commit ID'] },
  });
});
