import { aQueue, inputIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { MergeQueueError } from '../errors.js';
import type { Answer, CommandResult } from '../model/input.js';
import { idempotently } from './idempotency.js';

const ok: CommandResult = { ok: true, queue: aQueue(), submission: null, targets: null };
const asked = { id: inputIdOf(1), digest: 'a' };
const answered: Answer = { inputId: inputIdOf(1), digest: 'a', result: ok };
const gone = new MergeQueueError('BRANCH_NOT_FOUND', 'There is no branch main.');

/** The answers found by the first read, the second, and so on. */
const storeOf = (...looks: (readonly Answer[])[]) => ({
  answers: async () => looks.shift() ?? [],
});

describe('a request that may be repeated', () => {
  test('a request is executed if there is no earlier answer', async () => {
    await expect(idempotently(storeOf(), asked, async () => ok)).resolves.toBe(ok);
  });

  test('a repeated request gets the first answer without being executed', async () => {
    const carryOut = () => Promise.reject(new Error('carried out twice'));

    await expect(idempotently(storeOf([answered]), asked, carryOut)).resolves.toBe(ok);
  });

  test('a request is refused if its id was used for another one', async () => {
    await expect(
      idempotently(storeOf([{ ...answered, digest: 'b' }]), asked, async () => ok),
    ).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  test('a request refused because of a concurrent equal one gets the answer of that one', async () => {
    await expect(idempotently(storeOf([], [answered]), asked, () => Promise.reject(gone))).resolves.toBe(ok);
  });

  test('a request without an equal one, or without an id, keeps its refusal', async () => {
    await expect(idempotently(storeOf(), asked, () => Promise.reject(gone))).rejects.toBe(gone);
    await expect(
      idempotently(storeOf([answered]), { ...asked, id: null }, () => Promise.reject(gone)),
    ).rejects.toBe(gone);
  });

  test('an unknown outcome is reported as such', async () => {
    const lost = new Error('the connection was lost');

    await expect(idempotently(storeOf([], [answered]), asked, () => Promise.reject(lost))).rejects.toBe(lost);
  });
});
