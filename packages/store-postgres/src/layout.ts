/** How rows are written. Each release reads what any of its layouts has left, row by row. */
export interface Layout {
  /** Whether what never changes of a run stands beside it, where releases before step 3 do not look for it. */
  readonly isRunApart: boolean;
  /** Whether rows are texts, and one of history names the one pull request that it is about: from step 4 on. */
  readonly isNarrow: boolean;
}

/** The type of the columns that hold rows, none of which the database takes apart: as `json` it reads each through once. */
export const keptAs = ({ isNarrow }: Layout): 'text' | 'json' => (isNarrow ? 'text' : 'json');
