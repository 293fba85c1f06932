/** The style of a text by meaning, not by colour. */
export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'busy' | 'held';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

export const span = (text: string, tone: Tone = 'plain'): Span => ({ text, tone });

/** Pads with spaces or truncates with an ellipsis to exactly this many characters. */
export const fit = (text: string, chars: number): string =>
  text.length > chars ? `${text.slice(0, chars - 1)}…` : text.padEnd(chars);

export const plainText = (line: Line): string =>
  line
    .map(({ text }) => text)
    .join('')
    .trimEnd();

const codes: Readonly<Record<Tone, string>> = {
  plain: '',
  dim: '\u001b[2m',
  strong: '\u001b[1m',
  good: '\u001b[32m',
  bad: '\u001b[31m',
  busy: '\u001b[36m',
  held: '\u001b[33m',
};

/** The text for a terminal, truncated to its width. */
export const ansiText = (line: Line, columns: number): string => {
  let left = columns;
  const parts: string[] = [];
  for (const { text, tone } of line) {
    const shown = text.slice(0, Math.max(0, left));
    left -= shown.length;
    parts.push(codes[tone] === '' ? shown : `${codes[tone]}${shown}\u001b[0m`);
  }
  return parts.join('');
};
