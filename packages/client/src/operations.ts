import type { operations } from './generated/openapi.js';
import { operationTable } from './generated/operations.js';
import { MqError } from './mq-error.js';
import { withRetries } from './retry.js';
import { type CallOptions, newIdempotencyKey, type Transport } from './transport.js';

export type OperationName = keyof typeof operationTable;

/** The body of a request, in its canonical form. */
export type RequestOf<Name extends OperationName> =
  operations[Name]['requestBody']['content']['application/json'];

export type AnswerOf<Name extends OperationName> =
  operations[Name]['responses'][200]['content']['application/json'];

/** One method for each operation of `/v1`. */
export type Operations = {
  readonly [Name in OperationName]: (
    request: RequestOf<Name>,
    options?: CallOptions,
  ) => Promise<AnswerOf<Name>>;
};

/** Calls an operation, and retries the call if that is safe. Rejects with MqError, or with the reason of the signal. */
export const call = async <Name extends OperationName>(
  transport: Transport,
  name: Name,
  request: RequestOf<Name>,
  { signal, idempotencyKey, ifMatch, onHeaders }: CallOptions = {},
): Promise<AnswerOf<Name>> => {
  const key = operationTable[name].writes ? (idempotencyKey ?? newIdempotencyKey()) : null;
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    body: JSON.stringify(request),
  };
  const ask = () => transport.text({ path: name, init, signal }, onHeaders);
  return objectIn(await withRetries(ask, transport.retry, signal)) as AnswerOf<Name>;
};

const objectIn = (text: string): object => {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) return json;
  } catch {}
  throw new MqError(
    'The server answered with something other than a JSON object: the address may not be an mq server.',
    {
      code: 'UNEXPECTED_ANSWER',
      status: 200,
    },
  );
};

/** The methods, one for each row of the generated table. */
export const operationsOf = (transport: Transport): Operations =>
  Object.fromEntries(
    Object.keys(operationTable).map((name) => [
      name,
      (request: RequestOf<OperationName>, options?: CallOptions) =>
        call(transport, name as OperationName, request, options),
    ]),
  ) as unknown as Operations;
