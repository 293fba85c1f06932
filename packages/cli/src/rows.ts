/** Max rows that a list command shows. The page on which the limit is reached is shown whole. */
export const ROWS_LIMIT = 1_000;

export const rowsOf = async <Page, Row>(
  pages: AsyncIterable<Page>,
  rowsIn: (page: Page) => readonly Row[],
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) {
    rows.push(...rowsIn(page));
    if (rows.length >= ROWS_LIMIT) break;
  }
  return rows;
};
