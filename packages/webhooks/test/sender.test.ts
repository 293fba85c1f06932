import { bootstrapHolder, type HistoryRow, MergeQueueError, type TokenId } from '@mq/core';
import { webhookEventsOf } from '@mq/http';
import { aMove, aToken, tokenIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { publicTargets } from '../src/targets.js';
import { answering, type Heard, ok, world } from './world.js';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const merged = (sequence: number, pr: number) => aMove(sequence, { pr, to: 'merged', from: 'tests_passed' });
const queued = (sequence: number, pr: number) => aMove(sequence, { pr, to: 'pending' });

const shown = ({ event }: Heard) => [event.pr_number, String(event.type).split('.')[1]];

test('delivers what is committed from when the webhook was made, each once, in order, with a link', async () => {
  const w = await world();
  await w.commit(queued(1, 1));
  await w.make();
  w.senderWith();
  await w.commit(queued(2, 2), merged(3, 1));
  await w.commit(merged(4, 2));

  expect(w.heard.map(shown)).toEqual([
    [2, 'queued'],
    [1, 'merged'],
    [2, 'merged'],
  ]);
  expect(w.heard[1]?.event).toMatchObject({
    ...{ type: 'pull_request.merged', action: 'merged', status: 'merged', pr_number: 1, sequence: 3 },
    ...{ queueId: w.queue.id, target_branch: 'main', http_details_url: 'https://mq.test/main/1' },
  });
});

test('delivers only the types that a webhook asks for', async () => {
  const w = await world();
  await w.make({ types: ['pull_request.merged'] });
  w.senderWith();
  await w.commit(queued(1, 1), merged(2, 1));
  expect(w.heard.map(shown)).toEqual([[1, 'merged']]);
});

test('events of a pull request wait for an earlier one through its first three tries, those of others do not', async () => {
  const w = await world();
  const { webhook } = await w.make();
  w.answer(({ event }) => (event.sequence === 1 ? answering(500) : ok));
  w.senderWith();
  await w.commit(queued(1, 1), queued(2, 2), merged(3, 1));
  expect(w.heard.map(shown)).toEqual([
    [1, 'queued'],
    [2, 'queued'],
  ]);
  for (let passed = 0; passed < 6 * MINUTE; passed += 5 * SECOND) await w.clock.leap(5 * SECOND);

  expect(w.heard.slice(2).map(shown)).toEqual([
    [1, 'queued'],
    [1, 'queued'],
    [1, 'merged'],
  ]);
  const [first] = await w.deliveries(webhook.id);
  expect(first).toMatchObject({ state: 'pending', tries: 3 });
  expect(first?.log.map(({ status, error }) => [status, error])).toEqual(
    [1, 2, 3].map(() => [500, 'It answered 500.']),
  );
});

test.each([
  ['keeps the beginning of an answer', [], 'secret of a neighbour'],
  ['keeps no answer where private addresses may be called', ['10.0.0.0/8'], null],
] as const)('the delivery log %s', async (_how, allowRanges, kept) => {
  const w = await world();
  const { webhook } = await w.make();
  w.answer(() => ({ ...ok, answer: 'secret of a neighbour' }));
  w.senderWith({ policy: { ...publicTargets, allowRanges } });
  await w.commit(merged(1, 1));
  expect((await w.deliveries(webhook.id))[0]?.log.map(({ answer }) => answer)).toEqual([kept]);
});

test('an event is tried on the schedule, with the same id and body, and then given up', async () => {
  const w = await world();
  const { webhook } = await w.make();
  w.answer(() => answering(500));
  w.senderWith();
  await w.commit(merged(1, 1));
  const start = w.heard[0]?.at ?? 0;
  for (const step of [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR])
    await w.clock.leap(step);

  const minutes = w.heard.map(({ at }) => Math.round((at - start) / MINUTE));
  expect(minutes).toEqual([0, 0, 5, 35, 155, 455, 1055, 1655]);
  expect(new Set(w.heard.map(({ id, request }) => id + request.body)).size).toBe(1);
  const [given] = await w.deliveries(webhook.id);
  expect(given).toMatchObject({ state: 'failed', tries: 8, nextAt: null });

  w.answer(() => ok);
  await w.keeper.replay(bootstrapHolder, { webhookId: webhook.id, since: 0 });
  await w.clock.leap(SECOND);
  expect([w.heard.length, w.heard[8]?.id, w.heard[8]?.request.body]).toEqual([
    9,
    w.heard[0]?.id,
    w.heard[0]?.request.body,
  ]);
  expect((await w.deliveries(webhook.id))[0]).toMatchObject({ state: 'delivered' });
});

test('T-O02 a webhook without a success for five days is disabled, with a notice, and other webhooks go on', async () => {
  const w = await world();
  const { webhook } = await w.make();
  await w.make({ url: 'https://other.test/hook' });
  w.answer(({ request }) => (request.url.startsWith('https://receiver') ? answering(503) : ok));
  w.senderWith();
  let sequence = 0;
  for (let day = 0; day < 6; day += 1) {
    sequence += 1;
    await w.commit(merged(sequence, sequence));
    for (let hour = 0; hour < 24; hour += 6) await w.clock.leap(6 * HOUR);
  }
  const disabled = (await w.webhooks.webhook(webhook.id))?.webhook.disabled;
  expect(disabled?.reason).toBe('failing');
  const failedFor = (disabled?.at ?? 0) - (w.heard[0]?.at ?? 0) - Date.UTC(2026, 0, 1);
  expect(Math.floor(failedFor / DAY)).toBe(5);
  expect(w.logged.filter(({ sentence }) => sentence.startsWith('a webhook was disabled'))).toMatchObject([
    { facts: { webhookId: webhook.id, reason: 'failing', url: 'receiver.test' } },
  ]);
  const others = w.heard.filter(({ request }) => request.url.startsWith('https://other'));
  expect(others.map(({ event }) => event.pr_number)).toEqual([1, 2, 3, 4, 5, 6]);

  const calls = w.heard.length;
  await w.clock.leap(DAY);
  expect(w.heard.length).toBe(calls);
  w.answer(() => ok);
  await w.keeper.update(bootstrapHolder, { webhookId: webhook.id, enabled: true });
  await w.clock.leap(SECOND);
  await w.commit(merged(7, 7));
  expect(
    w.heard.some(({ event, request }) => event.pr_number === 7 && request.url.startsWith('https://receiver')),
  ).toBe(true);
});

test('T-O01 a receiver that throws, hangs or refuses delays no other receiver', async () => {
  const w = await world();
  const receivers = ['throws', 'hangs', 'refuses', 'works'];
  for (const name of receivers) await w.make({ url: `https://${name}.test/` });
  w.answer(({ request }) => {
    if (request.url.includes('throws')) throw new Error('no route to it');
    if (request.url.includes('hangs')) return new Promise(() => undefined);
    return request.url.includes('refuses') ? answering(500) : ok;
  });
  w.senderWith();
  await w.commit(merged(1, 1));
  await w.commit(merged(2, 2));

  const arrived = w.heard.filter(({ request }) => request.url.includes('works'));
  expect(arrived.map(({ event, at }) => [event.pr_number, at])).toEqual([
    [1, SECOND],
    [2, 2 * SECOND],
  ]);
  expect(new Set(w.heard.map(({ request }) => request.url)).size).toBe(receivers.length);
});

test('a receiver that answers 410 is disabled at once', async () => {
  const w = await world();
  const { webhook } = await w.make();
  w.answer(() => answering(410));
  w.senderWith();
  await w.commit(merged(1, 1));
  await w.clock.leap(MINUTE);
  expect([w.heard.length, (await w.webhooks.webhook(webhook.id))?.webhook.disabled?.reason]).toEqual([
    1,
    'gone',
  ]);
});

test('a webhook gets the repositories of its token, follows its rotation, and ends with its revocation', async () => {
  const w = await world();
  const repositories = [w.queue.repo];
  const scopes = ['read', 'webhooks'] as const;
  const [one, narrow] = [
    aToken(1, { scopes, repositories }),
    aToken(2, { scopes, repositories: [{ ...w.queue.repo, name: 'other' }] }),
  ];
  for (const token of [one, narrow]) await w.tokens.addToken(token, { replaced: null, limit: 9 });
  const { webhook } = await w.make({ url: 'https://own.test/' }, one);
  await w.make({ url: 'https://narrow.test/' }, narrow);
  w.senderWith();
  await w.commit(merged(1, 1));
  const heir = aToken(3, { scopes, repositories, familyId: tokenIdOf(1) });
  await w.tokens.addToken(heir, { replaced: { id: one.id, expiresAt: w.clock.now() }, limit: 9 });
  await w.commit(merged(2, 2));
  expect(w.heard.map(({ request, event }) => [request.url, event.pr_number])).toEqual([
    ['https://own.test/', 1],
    ['https://own.test/', 2],
  ]);
  const by = { id: 'bootstrap' as TokenId, name: 'bootstrap' };
  await w.tokens.revokeToken(heir.id, { at: w.clock.now(), by, withMade: true });
  await w.clock.leap(SECOND);
  await w.commit(merged(3, 3));
  expect(w.heard.length).toBe(2);
  expect((await w.webhooks.webhook(webhook.id))?.webhook.disabled?.reason).toBe('token_ended');
});

test('two senders deliver each event once, and one that is closed hands over at once', async () => {
  const w = await world();
  await w.make();
  const senders = [w.senderWith(), w.senderWith()];
  let sequence = 0;
  const some = async () => {
    for (let n = 0; n < 5; n += 1) {
      sequence += 1;
      await w.commit(merged(sequence, sequence));
    }
  };
  await some();
  await senders[0]?.close();
  await some();
  await senders[1]?.close();
  w.senderWith();
  await some();
  expect(w.heard.map(({ event }) => event.sequence)).toEqual(
    Array.from({ length: 15 }, (_, index) => index + 1),
  );
});

test('an event that cannot be shown is left out and logged, and those that follow are delivered', async () => {
  const w = await world();
  await w.make();
  w.senderWith({
    eventsOf: (row, queue) => {
      if (row.sequence === 1) throw new Error('broken');
      return webhookEventsOf(row, queue);
    },
  });
  await w.commit(merged(1, 1), merged(2, 2));
  expect(w.heard.map(({ event }) => event.sequence)).toEqual([2]);
  expect(w.logged.map(({ sentence }) => sentence)).toEqual([
    'an event could not be built for a webhook and was skipped',
  ]);
});

test.each(['STORE_UNREACHABLE', 'CLOSED'] as const)(
  'an event whose test run cannot be read for now (%s) is delivered later, once',
  async (code) => {
    const w = await world();
    await w.make();
    const testing = {
      ...{
        type: 'run',
        sequence: 2,
        at: w.clock.now(),
        settingsVersion: 1,
        runId: 'run-1',
        change: 'testing',
      },
      ...{ purpose: 'test', prs: [1], attempts: [1], outcome: null, cause: null, isTested: true },
      ...{ testingSince: w.clock.now(), candidate: null, ref: null },
    } as unknown as HistoryRow;
    let isOut = true;
    w.senderWith({
      mq: {
        follow: w.mq.follow,
        getRun: async () => {
          if (isOut) throw new MergeQueueError(code, 'Not now.');
          return { run: { deadlineAt: w.clock.now(), starting: null, closedAt: null } } as never;
        },
        listExpectedChecks: async () => [],
      },
    });
    await w.commit(queued(1, 1), testing, merged(3, 1));
    for (let n = 0; n < 3; n += 1) await w.clock.leap(SECOND);
    isOut = false;
    for (let n = 0; n < 3; n += 1) await w.clock.leap(SECOND);
    expect(w.heard.map(({ event }) => [event.sequence, typeof event.deadline_at])).toEqual([
      [1, 'undefined'],
      [2, 'string'],
      [3, 'undefined'],
    ]);
  },
);

test('after a loss of rows it continues with the oldest one kept, and an alarm names the range', async () => {
  const w = await world({ historyRows: 2 });
  await w.make();
  const first = w.senderWith();
  await w.commit(merged(1, 1));
  await first.close();
  for (const n of [2, 3, 4, 5]) await w.commit(merged(n, n));
  w.senderWith();
  await w.clock.leap(SECOND);
  await w.clock.leap(SECOND);
  expect(w.heard.map(({ event }) => [event.type, event.code, event.sequence])).toEqual([
    ['pull_request.merged', undefined, 1],
    ['alarm', 'EVENTS_LOST', 1],
    ['pull_request.merged', undefined, 4],
    ['pull_request.merged', undefined, 5],
  ]);
  expect(w.heard[1]?.event.sentence).toMatch(/^Events of the sequences 2 to 3 were removed/);
});

test('a test run is announced with its deadline and report tokens, of which the delivery log shows nothing', async () => {
  const w = await world();
  const scopes = ['read', 'webhooks', 'checks'] as const;
  const token = aToken(1, { scopes, reporter: 'jenkins', repositories: null });
  await w.tokens.addToken(token, { replaced: null, limit: 9 });
  const { webhook } = await w.make({ types: ['pull_request.testing'] }, token);
  const reader = aToken(2, { scopes: ['read', 'webhooks'], repositories: null });
  await w.tokens.addToken(reader, { replaced: null, limit: 9 });
  await w.make({ url: 'https://reader.test/', types: ['pull_request.testing'] }, reader);
  const row = {
    ...{ type: 'run', sequence: 1, at: w.clock.now(), settingsVersion: 1, runId: 'run-1', change: 'testing' },
    ...{ purpose: 'test', prs: [1], attempts: [1], outcome: null, cause: null, testingSince: w.clock.now() },
    ...{ isTested: true, candidate: { commit: 'c'.repeat(40), tree: 'd'.repeat(40) }, ref: 'refs/mq/run-1' },
  } as unknown as HistoryRow;
  const deadlineAt = w.clock.now() + HOUR;
  const asked: object[] = [];
  let looks = 0;
  const { follow } = w.mq;
  w.senderWith({
    mq: {
      follow,
      getRun: async () => {
        looks += 1;
        return { run: { deadlineAt, starting: looks < 3 ? 'effect' : null, closedAt: null } } as never;
      },
      listExpectedChecks: async (request) => {
        asked.push(request);
        return [
          { testRunId: 'run-1', check: 'unit', reportToken: 'mqr_secret' },
          { testRunId: 'run-0', check: 'unit', reportToken: 'mqr_other' },
        ] as never;
      },
    },
  });
  w.answer(({ request }) => ({ ...ok, answer: request.body }));
  await w.commit(row);
  for (let n = 0; n < 5; n += 1) await w.clock.leap(SECOND);

  const bodies = Object.fromEntries(w.heard.map(({ request, event }) => [new URL(request.url).host, event]));
  expect(bodies['receiver.test']).toMatchObject({
    ...{ test_branch: 'refs/mq/run-1', test_branch_sha: 'c'.repeat(40), test_run_id: 'run-1' },
    deadline_at: new Date(deadlineAt).toISOString(),
    checks: [{ check: 'unit', report_token: 'mqr_secret' }],
  });
  expect(bodies['reader.test']).toMatchObject({
    deadline_at: new Date(deadlineAt).toISOString(),
    checks: [],
  });
  expect(asked).toEqual([{ repo: w.queue.repo, reporter: 'jenkins', take: 1_000 }]);
  const log = await w.deliveries(webhook.id);
  expect(log.map(({ state }) => state)).toEqual(['delivered']);
  expect(JSON.stringify(log)).not.toContain('mqr_');
});

test('with another key a webhook is disabled, and a new secret begins it again, without what was recorded before', async () => {
  const w = await world();
  const { webhook } = await w.make();
  w.answer(() => answering(500));
  const first = w.senderWith();
  await w.commit(merged(1, 1));
  await first.close();
  const key = Buffer.alloc(32, 5);
  w.senderWith({ key });
  for (const ms of [SECOND, MINUTE, SECOND]) await w.clock.leap(ms);
  const stopped = await w.webhooks.webhook(webhook.id);
  expect([w.heard.length, stopped?.webhook.disabled?.reason]).toEqual([1, 'secret_unreadable']);
  w.answer(() => ok);
  const again = { webhookId: webhook.id, enabled: true, rotateSecret: true };
  await w.keeperWith(key).update(bootstrapHolder, again);
  for (const ms of [SECOND, MINUTE, SECOND]) await w.clock.leap(ms);
  await w.commit(merged(2, 2));
  expect(w.heard.slice(1).map(({ event }) => event.pr_number)).toEqual([2]);
  expect((await w.deliveries(webhook.id)).map(({ state }) => state)).toEqual(['failed', 'delivered']);
});
