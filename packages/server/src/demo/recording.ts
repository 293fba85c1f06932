import type { Line, Tone } from './styled.js';
import { plainText } from './styled.js';
import { VIEW_COLUMNS } from './view.js';

/** The content of the terminal from `atMs` on. */
export interface Frame {
  readonly atMs: number;
  readonly lines: readonly Line[];
}

export interface Recording {
  readonly title: string;
  readonly frames: readonly Frame[];
  /** The final content. */
  readonly end: readonly Line[];
}

const FONT_PX = 14;
const CHAR_PX = 8.43;
const LINE_PX = 20;
const BAR_PX = 38;
const MARGIN_PX = 18;
/** Replays faster than real time; the end stays long enough to be read. */
const SPEED = 1.2;
/** In recorded time. */
const SHORTEST_FRAME_MS = 100;
const END_MS = 9_000;
const FRAMES_LIMIT = 40;

const colours: Readonly<Record<Tone, string>> = {
  plain: '#d7dce5',
  dim: '#7d8796',
  strong: '#f5f7fa',
  good: '#7ee2a0',
  bad: '#ff7b8a',
  busy: '#6cc7ff',
  held: '#f4c56a',
};

/**
 * Renders a recording as an animated SVG of a terminal. Pure. Viewers without animation, or with reduced motion, show
 * the end.
 */
export const svgOf = ({ title, frames, end }: Recording): string => {
  const shown = lasting(thinned(frames), frames.at(-1)?.atMs ?? 0);
  const rows = Math.max(end.length, ...shown.map(({ lines }) => lines.length));
  const width = Math.ceil(VIEW_COLUMNS * CHAR_PX + 2 * MARGIN_PX);
  const height = BAR_PX + rows * LINE_PX + 2 * MARGIN_PX;
  const startMs = shown[0]?.atMs ?? 0;
  const lastMs = ((frames.at(-1)?.atMs ?? 0) - startMs) / SPEED;
  const totalMs = lastMs + END_MS;
  const percent = (ms: number): string => `${((ms / totalMs) * 100).toFixed(2)}%`;
  const beginnings = shown.map(({ atMs }) => (atMs - startMs) / SPEED);
  const rules = shown.map((_, index) => keyframes(index, beginnings, lastMs, percent));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${title}: ${plainText(end.at(-1) ?? []).trim()}`)}">
<style>
text { font: ${FONT_PX}px ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: ${colours.plain}; }
${Object.entries(colours)
  .map(([tone, colour]) => `.${tone} { fill: ${colour}; }`)
  .join('\n')}
.strong { font-weight: 600; }
.frame { visibility: hidden; }
@media (prefers-reduced-motion: no-preference) {
${shown.map((_, index) => `#f${index} { animation: k${index} ${(totalMs / 1000).toFixed(2)}s step-end infinite; }`).join('\n')}
#end { animation: kend ${(totalMs / 1000).toFixed(2)}s step-end infinite; }
}
${rules.join('\n')}
@keyframes kend { 0% { visibility: hidden; } ${percent(lastMs)} { visibility: visible; } }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#12161f"/>
<path d="M0 ${BAR_PX}V10a10 10 0 0 1 10-10H${width - 10}a10 10 0 0 1 10 10V${BAR_PX}z" fill="#1c2230"/>
${['#ff5f57', '#febc2e', '#28c840'].map((fill, index) => `<circle cx="${22 + index * 20}" cy="${BAR_PX / 2}" r="6" fill="${fill}"/>`).join('\n')}
<text x="${width / 2}" y="${BAR_PX / 2 + 5}" text-anchor="middle" class="dim">${escaped(title)}</text>
${shown.map(({ lines }, index) => group(`f${index}`, 'frame', lines)).join('\n')}
${group('end', '', end)}
</svg>
`;
};

/** Each frame is visible until the next one starts. */
const keyframes = (
  index: number,
  beginnings: readonly number[],
  lastMs: number,
  percent: (ms: number) => string,
): string => {
  const from = beginnings[index] ?? 0;
  const to = beginnings[index + 1] ?? lastMs;
  const before = from === 0 ? '' : '0% { visibility: hidden; } ';
  return `@keyframes k${index} { ${before}${percent(from)} { visibility: visible; } ${percent(to)} { visibility: hidden; } }`;
};

/** Drops frames that are replaced at once and would never be seen. */
const lasting = (frames: readonly Frame[], endMs: number): readonly Frame[] =>
  frames.filter(({ atMs }, index) => (frames[index + 1]?.atMs ?? endMs) - atMs >= SHORTEST_FRAME_MS);

/** At most this many frames that show more than a new clock. */
const thinned = (frames: readonly Frame[]): readonly Frame[] => {
  const news = frames.filter((frame, index) => {
    const before = frames[index - 1];
    return before === undefined || textBelowClock(frame) !== textBelowClock(before);
  });
  const step = Math.max(1, Math.ceil(news.length / FRAMES_LIMIT));
  return news.filter((_, index) => index % step === 0);
};

const textBelowClock = ({ lines }: Frame): string => lines.slice(1).map(plainText).join('\n');

const group = (id: string, className: string, lines: readonly Line[]): string =>
  `<g id="${id}"${className === '' ? '' : ` class="${className}"`}>\n${lines
    .flatMap((line, row) => textsOf(line, BAR_PX + MARGIN_PX + row * LINE_PX + FONT_PX))
    .join('\n')}\n</g>`;

/** Text after a wide gap gets its own x position, so that columns line up in any font. */
const textsOf = (line: Line, y: number): readonly string[] => {
  const texts: string[] = [];
  let column = 0;
  for (const { text, tone } of line) {
    for (const { 0: words, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      const x = (MARGIN_PX + (column + index) * CHAR_PX).toFixed(1);
      const length = (words.length * CHAR_PX).toFixed(1);
      texts.push(`<text x="${x}" y="${y}" class="${tone}" textLength="${length}">${escaped(words)}</text>`);
    }
    column += text.length;
  }
  return texts;
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
