interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Items that go together at most. */
const TOGETHER_LIMIT = 100;

/**
 * What is asked for one by one is carried out together: all of one turn at once, and what comes while that is under way
 * when it has ended. `carryOut` gives a result for each item, in their order; where it rejects, nobody knows.
 */
export class Together<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(private readonly carryOut: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Whoever asks in the same turn of the event loop goes along.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#carryOutSome(this.#waiting.splice(0, TOGETHER_LIMIT));
    this.#isRunning = false;
  }

  async #carryOutSome(some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.carryOut(some.map(({ item }) => item));
      for (const [index, { resolve }] of some.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
