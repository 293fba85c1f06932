/** Synchronous if the value is there; anything with a `then` is awaited. */
export const andThen = <Value, Result>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> => (isAwaited(value) ? Promise.resolve(value).then(next) : next(value));

const isAwaited = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** To call `done` with nothing is to let in: an error without a reason gets one. */
export const reasonIn = (error: unknown): Error =>
  error instanceof Error ? error : new Error('it broke without a reason', { cause: error });
