/** Where a process dies: before it sends a call, when it has sent it, or when it was carried out and the answer has come. */
export type When = 'before' | 'sent' | 'done';

/** A call of the store or the host at which a process dies. */
export interface Cut {
  readonly when: When;
  readonly isAt: (method: string, args: readonly unknown[]) => boolean;
}

/** The cuts of one world, one after another. */
export class Cuts {
  readonly #left: Cut[];

  constructor(cuts: readonly Cut[]) {
    this.#left = [...cuts];
  }

  /** When the process that calls this has to die; null where it lives on. */
  take(method: string, args: readonly unknown[]): When | null {
    const [next] = this.#left;
    if (next === undefined || !next.isAt(method, args)) return null;
    this.#left.shift();
    return next.when;
  }
}

/** The same, but that its caller dies where it is cut; `die` is what a dead one waits for. */
export const cutting = <Port extends object>(port: Port, cuts: Cuts, die: () => Promise<never>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || String(name).startsWith('on')) return method;
      return (...args: readonly unknown[]): unknown => {
        const when = cuts.take(String(name), args);
        if (when === 'before') return die();
        const answer: unknown = Reflect.apply(method, target, args);
        if (when === 'sent') return die();
        return when === 'done' ? Promise.resolve(answer).then(die, die) : answer;
      };
    },
  });
