interface UntilOptions {
  /** Bounded only so that nothing hangs. Shorter than a test may take: a failure shows what came instead. */
  readonly limitMs?: number;
  readonly everyMs?: number;
  /** What is waited for, for the failure. */
  readonly what?: string;
}

/** Asks until the answer is as expected. Real time. */
export const until = async <Value>(
  ask: () => Promise<Value>,
  isIt: (value: Value) => boolean,
  { limitMs = 400_000, everyMs = 100, what = 'the answer is as expected' }: UntilOptions = {},
): Promise<Value> => {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (isIt(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`it did not come about that ${what}: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
