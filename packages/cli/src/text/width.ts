/** Characters that take two columns of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

const graphemes = (text: string): string[] => [...segments.segment(text)].map(({ segment }) => segment);
const widthOfOne = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : 1);

/** The columns that a line takes. It has no controls. */
export const widthOf = (text: string): number =>
  graphemes(text).reduce((sum, grapheme) => sum + widthOfOne(grapheme), 0);

/** One line of at most `width` columns; what is cut off is shown as an ellipsis. */
export const cut = (text: string, width: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  if (widthOf(line) <= width) return line;
  let taken = '';
  let used = 0;
  for (const grapheme of graphemes(line)) {
    used += widthOfOne(grapheme);
    if (used > width - 1) break;
    taken += grapheme;
  }
  return `${taken.trimEnd()}…`;
};

export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Lines of at most `width` columns, broken between words; the lines after the first are indented. */
export const wrapped = (text: string, width: number, indent = ''): string =>
  text
    .split('\n')
    .map((line) => wrappedLine(line, width, indent))
    .join('\n');

const wrappedLine = (text: string, width: number, indent: string): string => {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  for (const word of text.trimStart().split(' ')) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`;
    if (line.trim() !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line].join('\n');
};
