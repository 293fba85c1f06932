import { sqlState } from './database.js';

/** How rows are written. Each release reads what any of its layouts has left, row by row. */
export interface Layout {
  /** Whether what never changes of a run stands beside it, where releases before step 3 do not look for it. */
  readonly isRunApart: boolean;
  /** Whether rows are texts, and one of history is all that a commit tells of one pull request: from step 4 on. */
  readonly isNarrow: boolean;
}

export const isSameLayout = (one: Layout, other: Layout): boolean =>
  one.isRunApart === other.isRunApart && one.isNarrow === other.isNarrow;

/** A column, or a key of a conflict, that is not there; a value of another type. */
const MISFITS = new Set(['42703', '42P10', '42804']);

/** Whether a statement was made for tables of another layout; then it did nothing. */
export const isMisfit = (error: unknown): boolean => MISFITS.has(sqlState(error) ?? '');

/** The type of the columns that hold rows, none of which the database takes apart: as `json` it reads each through once. */
export const keptAs = ({ isNarrow }: Layout): 'text' | 'json' => (isNarrow ? 'text' : 'json');
