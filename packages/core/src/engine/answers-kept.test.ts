import { anActor, inputIdOf, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld } from '../../test/engine-world.js';
import type { CommandResult } from '../model/input.js';
import { WORK_PER_DECISION } from './work.js';

const refusalOf = (result: CommandResult) => (result.ok ? null : result.refusal.code);

test('an idempotency key counts as used for the process that has just decided its command', async () => {
  const { deciderOf, published } = await engineWorld();
  const decider = deciderOf();
  const first = await decider.ask(aSubmit(1, inputIdOf(7), 'a'));

  expect(await decider.ask(aSubmit(1, inputIdOf(7), 'a'))).toEqual(first);
  expect(refusalOf(await decider.ask(aSubmit(1, inputIdOf(7), 'b')))).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(published.flatMap(({ answers }) => answers)).toHaveLength(1);
});

test('an idempotency key counts as used for a command of the second of two decisions', async () => {
  const { deciderOf } = await engineWorld();
  const decider = deciderOf();
  await decider.ask(aSubmit(1, inputIdOf(7), 'a'));
  const others = Array.from({ length: WORK_PER_DECISION }, (_, n) => decider.ask(aCancel(100 + n)));

  const again = decider.ask(aSubmit(1, inputIdOf(7), 'b'));

  expect(refusalOf(await again)).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(new Set((await Promise.all(others)).map(refusalOf))).toEqual(new Set(['NOT_SUBMITTED']));
});

test('a refusal stays the answer to its idempotency key', async () => {
  const { deciderOf, memory } = await engineWorld();
  const cancel = { ...aCancel(1, inputIdOf(7)), digest: 'a' };
  const refused = await deciderOf().ask(cancel);
  await deciderOf().ask(aSubmit(1));

  expect(refusalOf(refused)).toBe('NOT_SUBMITTED');
  expect(await deciderOf().ask(cancel)).toEqual(refused);
  expect((await memory.submissions({ queueId: queueIdOf(1), limit: 9 })).items[0]?.state).not.toBe(
    'cancelled',
  );
});

test('an internal error is not kept as the answer to an idempotency key', async () => {
  const { deciderOf, memory } = await engineWorld();
  const broken = {
    id: inputIdOf(9),
    actor: anActor,
    digest: 'a',
    type: 'set_impacted_targets',
    pr: 1,
    head: null as never,
    targets: 5 as never,
    source: 'trusted',
  } as const;

  expect(refusalOf(await deciderOf().ask(broken))).toBe('COMMAND_BROKEN');
  expect(await memory.answers([inputIdOf(9)])).toEqual([]);
});
