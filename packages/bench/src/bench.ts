/** Full for numbers, tiny for a look whether it runs at all. */
export type Size = 'full' | 'tiny';

/** What was hoped for, and what came out. */
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

/** What a bench found: for people `about`, `goals` and `tables`; for programs `data` and `goals`. */
export interface Findings {
  readonly about: string;
  readonly goals: readonly Goal[];
  readonly tables: readonly Table[];
  readonly data: unknown;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  /** Each is measured in a process of its own, so that none runs on what V8 learned from another. */
  readonly parts: readonly Part[];
}

/** `note` says how far it has come. */
export type Part = (size: Size, note: (text: string) => void) => Findings;

/** What the parts of one bench found: tables with the same head become one, and what is said of all is said once. */
export const together = (found: readonly Findings[]): Findings => {
  const [first, ...others] = found;
  if (first === undefined) throw new Error('A bench without parts finds nothing.');
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

/** Three digits that count; a dash for what was not measured. */
export const figure = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
};

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
