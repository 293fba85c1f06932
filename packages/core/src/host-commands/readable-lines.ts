/** Max characters read of a comment. The last line of a longer one is dropped, because it may be cut. */
export const COMMENT_READ_LIMIT_CHARS = 65_536;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
const QUOTE = /^ {0,3}>/;
const BLANK = /^\s*$/;
/** Lines that end the text of a mail: the start of the signature or of the quoted mail. */
const FOOTERS = [
  /^-- ?$/,
  /^_{5,}$/,
  /^-{2,} ?(?:Original|Forwarded) Message/i,
  /^On .{1,300} wrote:$/,
  /^Reply to this email directly/i,
  /^Sent from my /i,
];
/** Elements whose content does not count as text of the person. */
const OPENING = /<(pre|code|blockquote)\b|<!--/i;

/**
 * The lines of plain text in a comment, without code, quotes, HTML comments and mail footers. A line directly after a quote
 * belongs to it, as in Markdown.
 */
export const readableLines = (body: string): readonly string[] => {
  const isCut = body.length > COMMENT_READ_LIMIT_CHARS;
  const lines = body.slice(0, COMMENT_READ_LIMIT_CHARS).split(/\r\n|\r|\n/);
  if (isCut) lines.pop();
  const read: string[] = [];
  let within: Within = { kind: 'text' };
  for (const line of lines) {
    if (within.kind === 'text' && FOOTERS.some((footer) => footer.test(line))) break;
    const isText: boolean = within.kind === 'text' && !INDENTED.test(line);
    within = after(within, line);
    if (isText && within.kind === 'text') read.push(line);
  }
  return read;
};

type Within =
  | { readonly kind: 'text' | 'quote' }
  | { readonly kind: 'fence'; readonly mark: string }
  | { readonly kind: 'element'; readonly end: string };

/** The block that contains the next line. */
const after = (within: Within, line: string): Within => {
  switch (within.kind) {
    case 'fence': {
      const [, mark = ''] = FENCE.exec(line) ?? [];
      const isClosed = mark.startsWith(within.mark) && BLANK.test(line.trimStart().slice(mark.length));
      return isClosed ? { kind: 'text' } : within;
    }
    case 'element':
      return line.toLowerCase().includes(within.end) ? { kind: 'text' } : within;
    case 'quote':
      return BLANK.test(line) ? { kind: 'text' } : opened(line, within);
    case 'text':
      return opened(line, within);
  }
};

const opened = (line: string, within: Within): Within => {
  const [, mark] = FENCE.exec(line) ?? [];
  if (mark !== undefined) return { kind: 'fence', mark };
  if (QUOTE.test(line)) return { kind: 'quote' };
  const element = OPENING.exec(line);
  if (element === null) return within;
  const end = element[1] === undefined ? '-->' : `</${element[1].toLowerCase()}>`;
  const rest = line.slice(element.index + 1).toLowerCase();
  return rest.includes(end) ? within : { kind: 'element', end };
};
