/** Calls `next` synchronously for a plain value; a value with a `then` is awaited first. */
export const andThen = <Value, Result>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> => (isAwaited(value) ? Promise.resolve(value).then(next) : next(value));

const isAwaited = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** The reason of a rejection as an `Error`, never undefined: Fastify takes `done(undefined)` for success. */
export const reasonIn = (error: unknown): Error =>
  error instanceof Error ? error : new Error('it broke without a reason', { cause: error });
