import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Replica } from './replica.js';

/** What a process uses before this is its start: modules that are loaded, code that is compiled. */
const WARM_UP_MS = 30_000;
const LEAST_SAMPLES = 12;
/** The median of the last third may be this much of that of the first. */
export const FLAT_RATIO = 1.2;

interface Sample {
  readonly replica: string;
  readonly megabytes: number;
}

export interface MemoryOf {
  readonly replica: string;
  readonly samples: number;
  /** Resident megabytes: medians of the first and the last third. Null if there are too few samples. */
  readonly first: number | null;
  readonly last: number | null;
  readonly isFlat: boolean | null;
}

/** Resident memory of the replicas over time; of a process that was started again from its warm-up on. */
export class Memory {
  readonly #samples: Sample[] = [];

  async sample(replicas: readonly Replica[]): Promise<void> {
    for (const replica of replicas) {
      const { process } = replica;
      if (process === null || Date.now() - process.since < WARM_UP_MS) continue;
      const megabytes = await residentMegabytes(process.pid);
      if (megabytes !== null) this.#samples.push({ replica: replica.name, megabytes });
    }
  }

  of(replica: string): MemoryOf {
    const own = this.#samples.filter((sample) => sample.replica === replica);
    return memoryOf(
      replica,
      own.map(({ megabytes }) => megabytes),
    );
  }
}

/** The summary of samples in the order of time. */
export const memoryOf = (replica: string, samples: readonly number[]): MemoryOf => {
  if (samples.length < LEAST_SAMPLES)
    return { replica, samples: samples.length, first: null, last: null, isFlat: null };
  const third = Math.floor(samples.length / 3);
  const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))];
  return { replica, samples: samples.length, first, last, isFlat: last <= FLAT_RATIO * first };
};

const residentMegabytes = async (pid: number): Promise<number | null> => {
  const said = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => null);
  const kilobytes = Number(said?.stdout.trim());
  return Number.isFinite(kilobytes) && kilobytes > 0 ? kilobytes / 1_024 : null;
};

const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
