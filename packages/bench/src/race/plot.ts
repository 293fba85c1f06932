import type { Result } from './race.js';
import { groupedBy, type Summary, summaries } from './report.js';

const WIDTH = 860;
const LEFT = 190;
const RIGHT = 120;
const ROW = 20;
const HEAD = 52;
const AXIS = 30;
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/**
 * An SVG with a panel per load and a bar per policy: from P50 to P99 of the waits, as multiples of the oracle on a
 * logarithmic scale, with a dot at P95 and the test runs per change.
 */
export const plotOf = (results: readonly Result[]): string => {
  const shown = summaries(results).filter(({ multiples }) => Number.isFinite(multiples.p50));
  const loads = groupedBy(shown, ({ load }) => load);
  const scale = scaleFor(shown.flatMap(({ multiples }) => Object.values(multiples)));
  let top = 0;
  const panels = loads.map((policies) => {
    const panel = panelOf(policies[0]?.load ?? '', policies, scale);
    const placed = `<g transform="translate(0 ${top})">\n${panel}\n</g>`;
    top += HEAD + policies.length * ROW + AXIS;
    return placed;
  });
  const size = `viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" font-family="sans-serif" font-size="12">`,
    '<title>Waits of each policy as multiples of the oracle: P50 to P99, with a dot at P95</title>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...panels,
    '</svg>',
    '',
  ].join('\n');
};

interface Scale {
  readonly least: number;
  readonly most: number;
  readonly at: (multiple: number) => number;
}

const scaleFor = (multiples: readonly number[]): Scale => {
  const least = Math.min(1, ...multiples);
  const most = Math.max(2, ...multiples) * 1.05;
  const span = Math.log(most / least);
  const at = (multiple: number) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(multiple / least)) / span;
  return { least, most, at };
};

const panelOf = (load: string, policies: readonly Summary[], { least, most, at }: Scale): string => {
  const bottom = HEAD + policies.length * ROW;
  const ticks = TICKS.filter((tick) => tick >= least && tick <= most).flatMap((tick) => [
    `<line x1="${px(at(tick))}" x2="${px(at(tick))}" y1="${HEAD - 6}" y2="${bottom}" stroke="#ddd"/>`,
    text(at(tick), bottom + 14, `${tick}×`, 'text-anchor="middle" fill="#666"'),
  ]);
  return [
    text(12, 24, load, 'font-weight="bold" font-size="14"'),
    text(WIDTH - 12, 24, 'test runs per change', 'text-anchor="end" fill="#666"'),
    ...ticks,
    ...policies.flatMap((one, index) => barOf(one, HEAD + index * ROW + ROW / 2, at)),
  ].join('\n');
};

const barOf = ({ policy, multiples, runsPerChange }: Summary, y: number, at: Scale['at']): string[] => {
  const { p50, p95, p99 } = multiples;
  const colour = policy.startsWith('engine') ? '#c2410c' : policy === 'oracle' ? '#15803d' : '#1d4ed8';
  const [from, to] = [Math.min(p50, p95, p99), Math.max(p50, p95, p99)].map(at);
  const line = `x1="${px(from ?? 0)}" x2="${px(to ?? 0)}" y1="${y}" y2="${y}"`;
  return [
    text(LEFT - 12, y + 4, policy, 'text-anchor="end"'),
    `<line ${line} stroke="${colour}" stroke-width="6" stroke-linecap="round" opacity="0.45"/>`,
    `<circle cx="${px(at(p95))}" cy="${y}" r="4" fill="${colour}"/>`,
    text(WIDTH - 12, y + 4, runsPerChange.toFixed(2), 'text-anchor="end"'),
  ];
};

const px = (value: number): string => value.toFixed(1);

const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${px(x)}" y="${y}" ${attributes}>${escaped(content)}</text>`;

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
