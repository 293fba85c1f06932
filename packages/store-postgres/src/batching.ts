interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions {
  /** Max groups in progress at once; defaults to 1. */
  readonly groupsLimit?: number;
  /** Max items per group. */
  readonly itemsLimit?: number;
}

const ITEMS_LIMIT = 100;

/**
 * Combines individual requests into groups: all that are added without an await in between, and, while the max number
 * of groups is in progress, all that are added until one ends. `carryOut` returns a result per item, in order; if it
 * rejects, all requests of the group are rejected.
 */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #isGathering = false;
  #underWay = 0;
  readonly #groupsLimit: number;
  readonly #itemsLimit: number;

  constructor(
    private readonly carryOut: (items: readonly Item[]) => Promise<readonly Result[]>,
    { groupsLimit = 1, itemsLimit = ITEMS_LIMIT }: BatcherOptions = {},
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
    // Requests of the same turn of the event loop join this group.
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
