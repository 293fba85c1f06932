import { type AnswerOf, call, type OperationName, type RequestOf } from './operations.js';
import type { CallOptions, Transport } from './transport.js';

/** Operations that answer page by page. */
export type PagedOperation = {
  [Name in OperationName]: RequestOf<Name> extends { cursor?: string } | { offset?: number }
    ? 'cursor' extends keyof RequestOf<Name>
      ? Name
      : 'offset' extends keyof RequestOf<Name>
        ? Name
        : never
    : never;
}[OperationName];

interface Page {
  readonly nextCursor?: string;
  readonly totalItems?: number;
  readonly testingResults?: readonly unknown[];
}

/**
 * The pages of an answer, one request each. Each is requested when the iteration reaches it. Begins at the cursor of
 * the request, if it has one.
 */
export async function* pagesOf<Name extends PagedOperation>(
  transport: Transport,
  name: Name,
  request: RequestOf<Name>,
  options?: CallOptions,
): AsyncGenerator<AnswerOf<Name>, void, undefined> {
  let next: RequestOf<Name> | null = request;
  while (next !== null) {
    const answer: AnswerOf<Name> = await call(transport, name, next, options);
    yield answer;
    next = nextOf(next, answer);
  }
}

const nextOf = <Name extends PagedOperation>(
  request: RequestOf<Name>,
  answer: AnswerOf<Name>,
): RequestOf<Name> | null => {
  const { nextCursor, totalItems, testingResults = [] } = answer as Page;
  if (nextCursor !== undefined) return { ...request, cursor: nextCursor };
  if (totalItems === undefined || testingResults.length === 0) return null;
  const offset = ('offset' in request ? (request.offset ?? 0) : 0) + testingResults.length;
  return offset < totalItems ? { ...request, offset } : null;
};
