import { finishLandings } from '../landing-intents.js';
import type { GitRepository } from '../repositories.js';
import type { PullReader, StoredPull } from './read.js';

interface Waiting {
  readonly numbers: readonly number[];
  readonly resolve: (pulls: readonly StoredPull[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches reads: those that arrive while one is in progress share the next one. No caller gets the result of a read that
 * began before its call.
 */
export class GatheredReads {
  #waiting: Waiting[] = [];
  #isReading = false;

  constructor(
    private readonly repo: GitRepository,
    private readonly reader: PullReader,
  ) {}

  read(numbers: readonly number[]): Promise<readonly StoredPull[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ numbers, resolve, reject });
      if (!this.#isReading) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0);
      try {
        await finishLandings(this.repo);
        const numbers = together.flatMap((one) => one.numbers);
        const pulls = await this.reader.byNumber(numbers, this.repo);
        const found = new Map(pulls.map((pull) => [pull.refs.number, pull]));
        for (const one of together)
          one.resolve([...new Set(one.numbers)].flatMap((number) => found.get(number) ?? []));
      } catch (error) {
        for (const one of together) one.reject(error);
      }
    }
    this.#isReading = false;
  }
}
