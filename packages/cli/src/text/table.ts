import { cut, padded, widthOf } from './width.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Shown only if the terminal has at least this number of columns. */
  readonly from?: number;
  /** At most one column: it takes what the others leave, and is cut. */
  readonly grows?: boolean;
}

const GAP = '  ';
/** A growing column is cut to no less. */
const SMALLEST = 12;

/** Rows under their titles, in lines of at most `width` columns; no line is cut where the width is infinite. */
export const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string => {
  const shown = columns.filter(({ from = 0 }) => width >= from);
  const cells = [
    shown.map(({ title }) => title),
    ...rows.map((row) => shown.map(({ cell }) => flat(cell(row)))),
  ];
  const widths = shown.map((_, index) => Math.max(...cells.map((line) => widthOf(line[index] ?? ''))));
  const growing = shown.findIndex(({ grows }) => grows === true);
  if (growing !== -1) {
    const others = widths.reduce((sum, one, index) => (index === growing ? sum : sum + one + GAP.length), 0);
    widths[growing] = Math.min(widths[growing] ?? 0, Math.max(SMALLEST, width - others));
  }
  return cells
    .map((line) =>
      line
        .map((text, index) => padded(cut(text, widths[index] ?? 0), widths[index] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => (width === Number.POSITIVE_INFINITY ? line : cutLine(line, width)))
    .join('\n');
};

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Keeps the gaps between cells, which `cut` would join. */
const cutLine = (line: string, width: number): string =>
  widthOf(line) <= width ? line : `${[...line].slice(0, Math.max(0, width - 1)).join('')}…`;
