import { aRepo, effectIdOf, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aHost, drop, performing } from '../../test/performer-world.js';
import type { Effect } from '../model/effect.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Lease } from '../ports/store.js';
import { EFFECTS_AT_ONCE, LEASE_MS, type Performer, QUESTIONS_AT_ONCE, RENEW_EVERY_MS } from './performer.js';
import { ANSWER_LIMIT_MS } from './timeout.js';

test('a performer holds a bounded number of effects at a time', async () => {
  const effects = Array.from(
    { length: EFFECTS_AT_ONCE + 3 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const world = await performing(effects, aHost({ dropCandidate: () => opened }));

  expect(await world.performer.begin()).toBe(EFFECTS_AT_ONCE);
  expect(world.performer.isFull).toBe(true);
  expect(await world.performer.begin()).toBe(0);
  open();
  await world.performer.idle();
  expect(world.performer.isFull).toBe(false);
  expect(await world.performer.begin()).toBe(3);
  await world.performer.idle();
});

test('a host gets a bounded number of concurrent requests per repository', async () => {
  const effects = Array.from(
    { length: 2 * QUESTIONS_AT_ONCE },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  const [asked, answers] = [[] as number[], [] as (() => void)[]];
  let underWay = 0;
  const dropCandidate = async (): Promise<void> => {
    underWay += 1;
    asked.push(underWay);
    await new Promise<void>((resolve) => answers.push(resolve));
    underWay -= 1;
  };
  const world = await performing(effects, aHost({ dropCandidate }));

  expect(await world.performer.begin()).toBe(2 * QUESTIONS_AT_ONCE);
  const idle = world.performer.idle();
  while (asked.length < effects.length) {
    await world.clock.idle();
    for (const answer of answers.splice(0)) answer();
  }
  for (const answer of answers.splice(0)) answer();
  await idle;

  expect(Math.max(...asked)).toBe(QUESTIONS_AT_ONCE);
});

test('an effect that waits for its turn when the process ends is returned without a call to the host', async () => {
  const effects = Array.from(
    { length: QUESTIONS_AT_ONCE + 3 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  const answers: (() => void)[] = [];
  const dropCandidate = () => new Promise<void>((resolve) => answers.push(resolve));
  const world = await performing(effects, aHost({ dropCandidate }));
  await world.performer.begin();
  await world.clock.idle();

  const ended = world.performer.end();
  await world.clock.idle();

  expect(await world.offeredAfter(0)).toBe(3);
  for (const answer of answers.splice(0)) answer();
  await ended;
  expect(answers).toEqual([]);
});

test('a performer that has ended performs effects again after a restart', async () => {
  const world = await performing([drop], aHost());
  await world.performer.end();

  expect(await world.pass()).toBe(1);
  expect(await world.offeredAfter(LEASE_MS)).toBe(0);
});

test('an effect that waits for its turn keeps its lease, and its timeout starts with its turn', async () => {
  const effects = Array.from(
    { length: QUESTIONS_AT_ONCE + 1 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  let asked = 0;
  const dropCandidate = () => {
    asked += 1;
    return new Promise<void>(() => undefined);
  };
  const world = await performing(effects, aHost({ dropCandidate }));
  await world.performer.begin();

  for (let ms = 0; ms < ANSWER_LIMIT_MS - RENEW_EVERY_MS; ms += RENEW_EVERY_MS)
    expect(await world.offeredAfter(RENEW_EVERY_MS)).toBe(0);
  expect(asked).toBe(QUESTIONS_AT_ONCE);
  await world.clock.advance(RENEW_EVERY_MS);
  expect(asked).toBe(effects.length);

  const idle = world.performer.idle();
  await world.clock.advance(ANSWER_LIMIT_MS - 1);
  expect(await Promise.race([idle.then(() => 'idle'), world.clock.idle().then(() => 'asking')])).toBe(
    'asking',
  );
  await world.clock.advance(1);
  await idle;
});

test('a repository whose host never answers does not delay another repository', async () => {
  const effects = Array.from(
    { length: QUESTIONS_AT_ONCE + 1 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  const asked: string[] = [];
  const dropCandidate: CodeHost['dropCandidate'] = ({ repo }) => {
    asked.push(repo.name);
    return new Promise(() => undefined);
  };
  const world = await performing(effects, aHost({ dropCandidate }), true);
  await world.performer.begin();
  const reserved = world.performer.offer(1);
  if (reserved === null) throw new Error('no capacity was reserved');

  const repo = { ...aRepo, name: 'another' };
  const effect = { ...drop, id: effectIdOf(effects.length + 1) };
  world.performer.take(reserved, [{ queueId: queueIdOf(2), repo, effect, tries: 1, token: 'any' }]);
  await world.clock.idle();

  expect(asked.filter((name) => name === 'another')).toHaveLength(1);
  expect(asked).toHaveLength(QUESTIONS_AT_ONCE + 1);
});

const anotherOf = (ordinal: number): Lease => ({
  queueId: queueIdOf(1),
  repo: aRepo,
  effect: { ...drop, id: effectIdOf(ordinal) },
  tries: 1,
  token: 'any',
});
const given = (performer: Performer, lease: Lease): void => {
  const reserved = performer.offer(1);
  if (reserved === null) throw new Error('no capacity was reserved');
  performer.take(reserved, [lease]);
};

/** A host that answers when the test says so. */
const slowHost = () => {
  const answers: (() => void)[] = [];
  let asked = 0;
  const dropCandidate = () => {
    asked += 1;
    return new Promise<void>((resolve) => answers.push(resolve));
  };
  return { host: aHost({ dropCandidate }), asked: () => asked, answer: () => answers.shift()?.() };
};

test('the limit of concurrent requests holds after some were answered and others were added', async () => {
  const effects = Array.from(
    { length: QUESTIONS_AT_ONCE + 1 },
    (_, n): Effect => ({ ...drop, id: effectIdOf(n + 1) }),
  );
  const { host, asked, answer } = slowHost();
  const world = await performing(effects, host, true);
  await world.performer.begin();
  await world.clock.idle();

  answer();
  await world.clock.idle();
  given(world.performer, anotherOf(effects.length + 1));
  await world.clock.idle();
  expect(asked()).toBe(effects.length);

  answer();
  await world.clock.idle();
  expect(asked()).toBe(effects.length + 1);
});

test('waiting for idle includes effects that are leased meanwhile', async () => {
  const { host, answer } = slowHost();
  const world = await performing([drop], host, true);
  await world.performer.begin();
  let isIdle = false;
  const idle = world.performer.idle().then(() => {
    isIdle = true;
  });
  await world.clock.idle();
  given(world.performer, anotherOf(2));

  answer();
  await world.clock.idle();
  expect(isIdle).toBe(false);

  answer();
  await idle;
});

test('an effect in progress keeps its lease after another one has ended', async () => {
  const effects = [drop, { ...drop, id: effectIdOf(2) }];
  const { host, answer } = slowHost();
  const world = await performing(effects, host);
  await world.performer.begin();
  await world.clock.idle();
  answer();

  for (let ms = 0; ms <= LEASE_MS; ms += RENEW_EVERY_MS)
    expect(await world.offeredAfter(RENEW_EVERY_MS)).toBe(0);
});

test('the full capacity is free again once all effects have ended', async () => {
  const { host, answer } = slowHost();
  const world = await performing([drop], host, true);
  await world.performer.begin();
  expect(await world.performer.begin()).toBe(0);
  await world.clock.idle();
  answer();
  await world.performer.idle();

  expect(world.performer.offer(EFFECTS_AT_ONCE)).toMatchObject({ limit: EFFECTS_AT_ONCE });
});
