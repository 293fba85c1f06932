/** Who asked for something. `name` is what people are shown; `id` is null where the caller gave none. */
export interface Actor {
  readonly kind: 'api' | 'embedder' | 'host' | 'queue';
  readonly id: string | null;
  readonly name: string;
}

/** The queue itself: what it does without being asked. */
export const theQueue: Actor = { kind: 'queue', id: null, name: 'the merge queue' };
