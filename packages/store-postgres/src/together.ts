interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface TogetherOptions {
  /** Groups that are under way at once, at most: 1 where left out. */
  readonly groupsLimit?: number;
  /** Items that go together, at most. */
  readonly itemsLimit?: number;
}

const ITEMS_LIMIT = 100;

/**
 * What is asked for one by one is carried out together: all that is asked for without waiting in between, and, while as many groups as may be are
 * under way, what comes meanwhile when one of them has ended. `carryOut` gives a result for each item, in their order; where it
 * rejects, nobody knows.
 */
export class Together<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #isGathering = false;
  #underWay = 0;
  readonly #groupsLimit: number;
  readonly #itemsLimit: number;

  constructor(
    private readonly carryOut: (items: readonly Item[]) => Promise<readonly Result[]>,
    { groupsLimit = 1, itemsLimit = ITEMS_LIMIT }: TogetherOptions = {},
  ) {
    this.#groupsLimit = groupsLimit;
    this.#itemsLimit = itemsLimit;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      void this.#gather();
    });
  }

  async #gather(): Promise<void> {
    if (this.#isGathering) return;
    this.#isGathering = true;
    // Whoever asks before anything that is awaited goes on goes along.
    await Promise.resolve();
    this.#isGathering = false;
    while (this.#waiting.length > 0 && this.#underWay < this.#groupsLimit)
      void this.#carryOutSome(this.#waiting.splice(0, this.#itemsLimit));
  }

  async #carryOutSome(some: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const results = await this.carryOut(some.map(({ item }) => item));
      for (const [index, { resolve }] of some.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
    this.#underWay -= 1;
    void this.#gather();
  }
}
