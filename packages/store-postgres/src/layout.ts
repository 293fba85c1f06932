/** How rows are written. Each release reads what any of its layouts has left, row by row. */
export interface Layout {
  /** Whether what never changes of a run stands beside it, where releases before step 3 do not look for it. */
  readonly isRunApart: boolean;
}
