import { aQueue, inputIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { MergeQueueError } from '../errors.js';
import type { Answer, CommandResult } from '../model/input.js';
import { idempotently } from './idempotency.js';

const ok: CommandResult = { ok: true, queue: aQueue(), submission: null, targets: null };
const asked = { id: inputIdOf(1), digest: 'a' };
const answered: Answer = { inputId: inputIdOf(1), digest: 'a', result: ok };
const gone = new MergeQueueError('BRANCH_NOT_FOUND', 'There is no branch main.');

/** Answers that are there at the first look, at the second, and so on. */
const storeOf = (...looks: (readonly Answer[])[]) => ({
  answers: async () => looks.shift() ?? [],
});

describe('a request that may be repeated', () => {
  test('is carried out where nothing answered it before', async () => {
    await expect(idempotently(storeOf(), asked, async () => ok)).resolves.toBe(ok);
  });

  test('is given its first answer, and nothing is carried out', async () => {
    const carryOut = () => Promise.reject(new Error('carried out twice'));

    await expect(idempotently(storeOf([answered]), asked, carryOut)).resolves.toBe(ok);
  });

  test('is refused under an id that was used for another', async () => {
    await expect(
      idempotently(storeOf([{ ...answered, digest: 'b' }]), asked, async () => ok),
    ).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  test('is given the answer of its twin where the world has changed since that one was carried out', async () => {
    await expect(idempotently(storeOf([], [answered]), asked, () => Promise.reject(gone))).resolves.toBe(ok);
  });

  test('is refused as it was found where there is no twin, or it has no id', async () => {
    await expect(idempotently(storeOf(), asked, () => Promise.reject(gone))).rejects.toBe(gone);
    await expect(
      idempotently(storeOf([answered]), { ...asked, id: null }, () => Promise.reject(gone)),
    ).rejects.toBe(gone);
  });

  test('does not hide that nobody knows what happened', async () => {
    const lost = new Error('the connection was lost');

    await expect(idempotently(storeOf([], [answered]), asked, () => Promise.reject(lost))).rejects.toBe(lost);
  });
});
