import { createHash } from 'node:crypto';
import type { RequestOrigin } from '@mq/core';
import type { Principal } from './auth.js';
import { HttpProblem } from './errors.js';

const IDEMPOTENCY_KEY_CHARS_LIMIT = 255;

const keyShape = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_LIMIT}}$`);

/** The engine's form of an `Idempotency-Key`. Keys are scoped by token and path. */
export const idempotencyOf = (
  header: string | readonly string[] | undefined,
  principal: Principal,
  path: string,
  request: unknown,
): Pick<RequestOrigin, 'idempotency'> => {
  if (header === undefined) return {};
  if (typeof header !== 'string' || !keyShape.test(header)) {
    const message = `must be 1 to ${IDEMPOTENCY_KEY_CHARS_LIMIT} printable ASCII characters without spaces`;
    throw new HttpProblem('INVALID_REQUEST', `The header Idempotency-Key ${message}.`, {
      faults: [{ path: ['Idempotency-Key'], message }],
    });
  }
  return {
    idempotency: {
      id: sha256(JSON.stringify([principal.id, path, header])),
      // A parsed request has its keys in the order of the schema, so equal requests have equal digests.
      digest: sha256(JSON.stringify(request)),
    },
  };
};

/** For operations whose keeper remembers the key itself: their answers contain secrets, so they must not be stored for replay. */
export const repeatable = ({ idempotency }: RequestOrigin): Pick<RequestOrigin, 'idempotency'> =>
  idempotency === undefined ? {} : { idempotency };

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
