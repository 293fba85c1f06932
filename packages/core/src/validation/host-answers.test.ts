import { aCandidate, aPullRequest, fakeHost, runIdOf, shaOf, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQueueOn, ref, repo } from '../../test/queue-on.js';
import { type HostPullRequest, isReadable } from '../ports/code-host.js';
import {
  SHOWN_BODY_LIMIT_CHARS,
  SHOWN_PATHS_LIMIT,
  SHOWN_TITLE_LIMIT_CHARS,
  validatedHost,
} from './host-answers.js';
import { SHOWN_LABELS_LIMIT, SHOWN_WORDS_LIMIT_CHARS } from './parse-answer.js';

const sha = 'a'.repeat(40);
const terms = { method: 'squash', decidedAt: 0 } as const;
/** What is stored if the host shows this of pull request 1. */
const shown = async (patch: Partial<HostPullRequest>): Promise<HostPullRequest> => {
  const host = fakeHost({ clock: virtualClock() });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  const [pull] = await host.getPullRequests(repo, [1]);
  if (pull === undefined || !isReadable(pull)) throw new Error('There is no pull request.');
  const door = validatedHost({ ...host, getPullRequests: async () => [{ ...pull, ...patch }] });
  return (await door.getPullRequests(repo, [1])).find(isReadable) ?? pull;
};
const noPull = [undefined, null, 'x', 3, [{}], [null], [{ number: 1, head: 'x' }]];
const noBranch = [undefined, {}, 'x', { head: 'x' }, { head: sha }, { head: sha, requiredChecks: 'test' }];
const noCandidate = [
  undefined,
  {},
  { kind: 'weird' },
  { kind: 'built' },
  { kind: 'built', candidate: { ref: 'a', commit: sha, tree: sha, steps: [] } },
  { kind: 'conflicted' },
  { kind: 'conflicted', pr: 99, with: 'target', paths: [] },
];
const noChecks = [undefined, {}, [], new Map([[sha, 'x']]), new Map([[sha, [{ name: 'test' }]]])];
const noLanding = [
  undefined,
  {},
  { kind: 'weird' },
  { kind: 'landed' },
  { kind: 'landed', head: 'x', tree: 'y' },
];

describe('what a host tells in words', () => {
  test('a text of a host is kept up to its limit, and truncated with a mark', async () => {
    const [title, body] = ['t'.repeat(SHOWN_TITLE_LIMIT_CHARS), 'b'.repeat(SHOWN_BODY_LIMIT_CHARS)];
    const labels = Array.from({ length: SHOWN_LABELS_LIMIT + 1 }, () => 'l');

    expect(await shown({ title, body })).toMatchObject({ title, body });
    expect(await shown({ title: `${title}t`, body: `${body}b`, labels })).toMatchObject({
      title: `${title.slice(1)}…`,
      body: `${body.slice(1)}…`,
      labels: labels.slice(1),
    });
    expect((await shown({ author: 'x'.repeat(9_999) })).author).toHaveLength(SHOWN_WORDS_LIMIT_CHARS);
  });

  test('a text of a host is never cut inside a character', async () => {
    const before = 't'.repeat(SHOWN_TITLE_LIMIT_CHARS - 2);

    expect((await shown({ title: `${before}🌧🌧` })).title).toBe(`${before}…`);
    expect((await shown({ title: `${before}🌧` })).title).toBe(`${before}🌧`);
  });

  test('a text of a host has no NUL and no lone surrogate', async () => {
    const pull = await shown({ title: 'a\0b', body: '\ud83cx \udf27 🌧', mergeabilityReason: '\ud83c' });

    expect(pull).toMatchObject({ title: 'a\ufffdb', body: '\ufffdx \ufffd 🌧', mergeabilityReason: '\ufffd' });
  });

  test('a long list of conflicting paths is cut', async () => {
    const paths = Array.from({ length: SHOWN_PATHS_LIMIT + 1 }, (_, n) => `file-${n}`);
    const conflicted = { kind: 'conflicted', pr: 1, with: 'target', paths } as const;
    const door = validatedHost({
      ...fakeHost({ clock: virtualClock() }),
      buildCandidate: async () => conflicted,
    });
    const message = { title: '', body: '' };
    const request = { repo, runId: runIdOf(1), branch: 'main', base: shaOf(1) } as const;

    expect(
      await door.buildCandidate({ ...request, ...terms, parts: [{ pr: 1, head: shaOf(2), message }] }),
    ).toEqual({
      ...conflicted,
      paths: paths.slice(0, SHOWN_PATHS_LIMIT),
    });
  });
});

describe('what is no answer', () => {
  test.each(noPull)(
    'an invalid pull request from a host refuses a submit and stores nothing: %j',
    async (answer) => {
      const { mq, lies } = await aQueueOn('getPullRequests', answer);
      lies(true);

      await expect(mq.submit({ ...ref, pr: 1 })).rejects.toMatchObject({
        code: 'HOST_UNREACHABLE',
        message: expect.stringContaining('getPullRequests'),
      });
      expect((await mq.getQueue(ref)).enqueued).toEqual([]);
    },
  );

  test.each(noBranch)('an invalid branch from a host creates no queue: %j', async (answer) => {
    const { mq, lies } = await aQueueOn('getBranch', answer);
    lies(true);

    await expect(mq.createQueue({ ...ref, targetBranch: 'next' })).rejects.toMatchObject({
      code: 'HOST_UNREACHABLE',
    });
  });

  test.each([
    ...noCandidate.map((answer) => ['buildCandidate', answer] as const),
    ...noChecks.map((answer) => ['getChecks', answer] as const),
    ...noLanding.map((answer) => ['land', answer] as const),
  ])(
    'an invalid answer to %s holds up one pull request until there is a valid one: %j',
    async (call, answer) => {
      const { mq, clock, lies } = await aQueueOn(call, answer);
      lies(true);
      await mq.submit({ ...ref, pr: 1 });
      await mq.settled();

      const held = await mq.getSubmission({ ...ref, pr: 1 });
      expect(held.queue.wanted).toBe('running');
      expect(held.waiting?.causes.map(({ sentence }) => sentence).join(' ')).toContain(`It answered ${call}`);

      lies(false);
      await clock.advance(600_000);
      await mq.settled();
      const { waiting } = await mq.getSubmission({ ...ref, pr: 1 });
      expect(JSON.stringify(waiting)).not.toContain('It answered');
    },
  );
});

describe('an answer about something else', () => {
  const host = fakeHost({ clock: virtualClock() });

  test.each([
    [[2], true],
    [[2, 1], true],
    [[1, 2], true],
    [[1], false],
    [[], false],
  ])('the answer to a read of #1 must be about #1 alone: %j', async (numbers, isRefused) => {
    const pulls = numbers.map((number) => aPullRequest(number));
    const door = validatedHost({ ...host, getPullRequests: async () => pulls });
    const asked = door.getPullRequests(repo, [1]).then(
      (answer) => answer.map(({ number }) => number),
      (error: Error) => error.message,
    );

    expect(await asked).toEqual(isRefused ? expect.stringContaining('was not requested') : numbers);
  });

  test.each([
    [[1, 2], false],
    [[2, 1], true],
    [[1], true],
    [[1, 2, 3], true],
    [[1, 3], true],
  ])('a candidate of #1 and #2 must hold these two in order: %j', async (numbers, isRefused) => {
    const outcome = { kind: 'built', candidate: aCandidate(numbers) } as const;
    const door = validatedHost({ ...host, buildCandidate: async () => outcome });
    const message = { title: '', body: '' };
    const parts = [1, 2].map((pr) => ({ pr, head: aPullRequest(pr).head, message }));
    const request = { repo, runId: runIdOf(1), branch: 'main', base: shaOf(1) } as const;
    const built = door.buildCandidate({ ...request, ...terms, parts }).catch((error: Error) => error.message);

    expect(await built).toEqual(isRefused ? expect.stringContaining('does not fit the request') : outcome);
  });

  const commit = shaOf(1);
  const fault = { code: 'MERGE_NOT_COMPUTABLE', message: 'It takes too long.' } as const;
  const below = [
    ['target', null],
    [1, null],
    [2, '#2 is not below #2'],
    [3, '#3 is not below #2'],
    [77, '#77 is not below #2'],
  ] as const;
  test.each(
    below.flatMap(([other, misfit]) =>
      [
        { kind: 'conflicted', pr: 2, with: other, paths: [] } as const,
        { kind: 'nothing_to_land', pr: 2, with: other } as const,
        { kind: 'merge_content_lost', pr: 2, with: other, commit } as const,
        { kind: 'faulty', pr: 2, with: other, fault } as const,
      ].map((outcome) => [outcome.kind, other, outcome, misfit] as const),
    ),
  )(
    'what #2 is answered as %s with must lie below it in the candidate: %s',
    async (_, __, outcome, misfit) => {
      const door = validatedHost({ ...host, buildCandidate: async () => outcome });
      const message = { title: '', body: '' };
      const parts = [1, 2, 3].map((pr) => ({ pr, head: aPullRequest(pr).head, message }));
      const request = { repo, runId: runIdOf(1), branch: 'main', base: shaOf(1) } as const;
      const built = door
        .buildCandidate({ ...request, ...terms, parts })
        .catch((error: Error) => error.message);

      expect(await built).toEqual(misfit === null ? outcome : expect.stringContaining(misfit));
    },
  );
});
