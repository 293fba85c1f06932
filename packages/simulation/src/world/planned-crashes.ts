/** When a process crashes: before it sends a call, after sending it, or when the answer arrives. */
export type When = 'before' | 'sent' | 'done';

/** A call of the store or the host at which a process crashes. */
export interface PlannedCrash {
  readonly when: When;
  readonly isAt: (method: string, args: readonly unknown[]) => boolean;
}

/** The crashes of one world, used in order. */
export class PlannedCrashes {
  readonly #left: PlannedCrash[];

  constructor(crashes: readonly PlannedCrash[]) {
    this.#left = [...crashes];
  }

  /** When the calling process must crash; null if it must not. */
  take(method: string, args: readonly unknown[]): When | null {
    const [next] = this.#left;
    if (next === undefined || !next.isAt(method, args)) return null;
    this.#left.shift();
    return next.when;
  }
}

/** Wraps a port so that its caller crashes at the crashes. `die` crashes it and returns a promise that never settles. */
export const crashing = <Port extends object>(
  port: Port,
  crashes: PlannedCrashes,
  die: () => Promise<never>,
): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || String(name).startsWith('on')) return method;
      return (...args: readonly unknown[]): unknown => {
        const when = crashes.take(String(name), args);
        if (when === 'before') return die();
        const answer: unknown = Reflect.apply(method, target, args);
        if (when === 'sent') return die();
        return when === 'done' ? Promise.resolve(answer).then(die, die) : answer;
      };
    },
  });
