/** The originator of a command or change. `name` is shown to people; `id` is null if the caller gave none. */
export interface Actor {
  readonly kind: 'api' | 'embedder' | 'host' | 'queue';
  readonly id: string | null;
  readonly name: string;
}

/** The actor of what the queue does by itself. */
export const theQueue: Actor = { kind: 'queue', id: null, name: 'the merge queue' };
