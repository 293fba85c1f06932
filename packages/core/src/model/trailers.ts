/** One `Co-authored-by` or `Signed-off-by` trailer, unfolded. */
export interface Trailer {
  readonly key: 'Co-authored-by' | 'Signed-off-by';
  readonly value: string;
}

export interface SplitText {
  /** The text without the trailers. */
  readonly rest: string;
  readonly trailers: readonly Trailer[];
}

const personLine = /^(co-authored-by|signed-off-by)[ \t]*:[ \t]*(.*)$/i;
const anyTrailer = /^[A-Za-z0-9-]+[ \t]*:[ \t]*(?!\/\/)\S/;
/** Lines by which git recognizes a paragraph as trailers although it has other lines. */
const linesOfGit = /^(signed-off-by: |\(cherry picked from commit )/i;
const folded = /^[ \t]+\S/;
const address = /<[^<>]*>/;

/**
 * Takes the trailers out of a text that follows a subject. A trailer with an `<address>` counts in every paragraph, one
 * without only in the last one and if git takes that paragraph for trailers. Closed code fences are kept as they are.
 */
export const splitTrailers = (text: string): SplitText => {
  const lines = text.split(/\r?\n/);
  const fenced = fencedLines(lines);
  const block = blockStart(lines, fenced);
  const rest: string[] = [];
  const trailers: Trailer[] = [];
  let at = 0;
  while (at < lines.length) {
    const found = fenced.has(at) ? null : trailerAt(lines, at, at >= block);
    if (found === null) rest.push(lines[at] ?? '');
    else trailers.push(found.trailer);
    at = found?.next ?? at + 1;
  }
  return { rest: rest.join('\n'), trailers };
};

/** Whether the last paragraph consists of trailers, so that others may be appended to it. */
export const endsInTrailers = (text: string): boolean => {
  const lines = text.split('\n');
  return blockStart(lines, fencedLines(lines)) < lines.length;
};

const trailerAt = (lines: readonly string[], at: number, isInBlock: boolean) => {
  const [, key = '', first = ''] = personLine.exec((lines[at] ?? '').trimEnd()) ?? [];
  if (key === '') return null;
  const parts = [first];
  let next = at + 1;
  if (isInBlock || !address.test(first))
    for (; folded.test(lines[next] ?? ''); next += 1) parts.push((lines[next] ?? '').trim());
  const value = parts.join(' ').trim();
  if (value === '' || !(isInBlock || address.test(value))) return null;
  const trailer: Trailer = {
    key: key.toLowerCase() === 'signed-off-by' ? 'Signed-off-by' : 'Co-authored-by',
    value,
  };
  return { trailer, next };
};

/** Where the trailers at the end begin, by the rule of `git interpret-trailers`; the number of lines if there are none. */
const blockStart = (lines: readonly string[], fenced: ReadonlySet<number>): number => {
  let end = lines.length;
  while (end > 0 && isBlank(lines[end - 1])) end -= 1;
  let start = end;
  while (start > 0 && !isBlank(lines[start - 1])) {
    start -= 1;
    if (fenced.has(start)) return lines.length;
  }
  const own = lines.slice(start, end).filter((line) => !folded.test(line));
  const count = own.filter((line) => anyTrailer.test(line) || linesOfGit.test(line)).length;
  const others = own.length - count;
  const isBlock =
    count > 0 && (others === 0 || (count * 3 >= others && own.some((line) => linesOfGit.test(line))));
  return isBlock ? start : lines.length;
};

const isBlank = (line: string | undefined): boolean => line?.trim() === '';

/** The lines of closed code fences. A fence without an end hides nothing. */
const fencedLines = (lines: readonly string[]): ReadonlySet<number> => {
  const found = new Set<number>();
  let open: { readonly at: number; readonly mark: string } | null = null;
  for (const [at, line] of lines.entries()) {
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (mark === '') continue;
    if (open === null) {
      if (!(mark.startsWith('`') && info.includes('`'))) open = { at, mark };
    } else if (mark.startsWith(open.mark) && info.trim() === '') {
      for (let each = open.at; each <= at; each += 1) found.add(each);
      open = null;
    }
  }
  return found;
};
