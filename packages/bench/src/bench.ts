/** `full` for figures, `tiny` to check that it runs. */
export type Size = 'full' | 'tiny';

/** A goal and the measured value. */
export interface Goal {
  readonly what: string;
  readonly wanted: string;
  readonly found: string;
  readonly isMet: boolean;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The result of a bench: `about`, `goals` and `tables` for people; `data` and `goals` for programs. */
export interface Findings {
  readonly about: string;
  readonly goals: readonly Goal[];
  readonly tables: readonly Table[];
  readonly data: unknown;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  /**
   * Each part is measured in its own process, so that it does not profit from code that V8 has optimized for another.
   */
  readonly parts: readonly Part[];
}

/** `note` reports the progress. */
export type Part = (size: Size, note: (text: string) => void) => Findings;

/** Merges the results of the parts of a bench. Tables with the same head become one. */
export const together = (found: readonly Findings[]): Findings => {
  const [first, ...others] = found;
  if (first === undefined) throw new Error('A bench needs at least one part.');
  if (others.length === 0) return first;
  const tables = new Map<string, Table>();
  for (const { head, rows } of found.flatMap((one) => one.tables)) {
    const key = head.join('|');
    tables.set(key, { head, rows: [...(tables.get(key)?.rows ?? []), ...rows] });
  }
  return {
    about: first.about,
    goals: found.flatMap(({ goals }) => goals),
    tables: [...tables.values()],
    data: found.map(({ data }) => data),
  };
};

export const atMost = (what: string, limit: number, found: number, unit = ''): Goal => ({
  what,
  wanted: `at most ${figure(limit)}${unit}`,
  found: `${figure(found)}${unit}`,
  isMet: found <= limit,
});

export const atLeast = (what: string, limit: number, found: number, unit = ''): Goal => ({
  what,
  wanted: `at least ${figure(limit)}${unit}`,
  found: `${figure(found)}${unit}`,
  isMet: found >= limit,
});

/** Formats a number with three significant digits; a dash if it was not measured. */
export const figure = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
};

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
