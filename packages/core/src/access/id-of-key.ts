import { createHash, randomUUID } from 'node:crypto';

/** A UUID: random, or the one that an idempotency key names for this kind of thing, so that a repeated request finds it. */
export const idOfKey = <Id extends string>(
  kind: string,
  idempotency: { readonly id: string } | undefined,
): Id => {
  if (idempotency === undefined) return randomUUID() as string as Id;
  const digits = createHash('sha256').update(`${kind}\n${idempotency.id}`).digest('hex');
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
  ];
  return [...parts, digits.slice(20, 32)].join('-') as Id;
};
