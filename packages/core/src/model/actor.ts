/** The originator of a command or change. `name` is shown to people; `id` is null if the caller gave none. */
export interface Actor {
  readonly kind: 'api' | 'embedder' | 'host' | 'queue';
  readonly id: string | null;
  readonly name: string;
  /** The person behind a token, as set when the token was made; left out if none is known. */
  readonly person?: string;
}

/** `ada (ci)`: the person first where one is known, then the name. */
export const actorName = ({ name, person }: Pick<Actor, 'name' | 'person'>): string =>
  person === undefined || person === name ? name : `${person} (${name})`;

/** The actor of what the queue does by itself. */
export const theQueue: Actor = { kind: 'queue', id: null, name: 'the merge queue' };
