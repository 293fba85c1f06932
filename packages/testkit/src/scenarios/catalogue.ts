import { entries } from './catalogue-entries.js';

export const layers = ['U', 'M', 'P', 'R', 'S', 'L', 'H', 'A'] as const;
export type Layer = (typeof layers)[number];

export interface CatalogueEntry {
  /** For example `T-A01`; the letter is the group. */
  readonly id: string;
  /** The layers on which it must hold. */
  readonly layers: readonly Layer[];
  readonly title: string;
  /** What the engine still lacks for it; null if nothing. */
  readonly needs: string | null;
}

const isLayer = (text: string): text is Layer => (layers as readonly string[]).includes(text);

const entryOf = (line: string): CatalogueEntry => {
  const [id = '', where = '', title = '', needs = null] = line.split('|');
  return { id, layers: [...where].filter(isLayer), title, needs };
};

/** All scenarios, including those that are not written yet. */
export const catalogue: readonly CatalogueEntry[] = entries.trim().split('\n').map(entryOf);

export const catalogueEntry = (id: string): CatalogueEntry => {
  const found = catalogue.find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`${id} is not in the catalogue of scenarios.`);
  return found;
};
