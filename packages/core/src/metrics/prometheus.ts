import { bucketSeconds, catalogue, type MetricName } from './catalogue.js';
import type { Labels, Sample } from './measure.js';

/**
 * Formats samples as text exposition format 0.0.4. Series without observations are shown with zeros. If a series has
 * several samples, the last one counts.
 */
export const exposition = (samples: readonly Sample[]): string => {
  const families = new Map<MetricName, Map<string, Sample>>(names.map((name) => [name, new Map()]));
  for (const sample of samples) families.get(sample.name)?.set(labelText(sample.labels), sample);
  return `${[...families].map(([name, series]) => familyText(name, series)).join('\n\n')}\n`;
};

const names = Object.keys(catalogue) as MetricName[];

const familyText = (name: MetricName, series: ReadonlyMap<string, Sample>): string => {
  const { help, type } = catalogue[name];
  const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
  const linesOf = type === 'gauge' ? gaugeText : histogramText;
  for (const [labels, { values }] of series) lines.push(linesOf(name, labels, values));
  return lines.join('\n');
};

const gaugeText = (name: MetricName, labels: string, values: readonly number[]): string =>
  `${name}{${labels}} ${values[0] ?? 0}`;

/** The text before the labels of each bucket, by metric. */
const bucketStarts = new Map(
  names.map((name) => [name, [...bucketSeconds, '+Inf'].map((bound) => `${name}_bucket{le="${bound}",`)]),
);

const histogramText = (name: MetricName, labels: string, values: readonly number[]): string => {
  const counts = [...bucketSeconds.map((bound) => countUpTo(values, bound)), values.length];
  const [first = '', ...starts] = bucketStarts.get(name) ?? [];
  const sum = values.reduce((total, value) => total + value, 0);
  const afterLabels = [...starts, `${name}_sum{`].map((start, index) => `} ${counts[index]}\n${start}`);
  // Joining by the labels is twice as fast as concatenating more parts.
  return [first, ...afterLabels, `} ${sum}\n${name}_count{`, `} ${values.length}`].join(labels);
};

const countUpTo = (values: readonly number[], bound: number): number => {
  let count = 0;
  for (const value of values) if (value <= bound) count += 1;
  return count;
};

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
    .join(',');

const toEscape = /[\\\n]/;

const escaped = (text: string): string =>
  toEscape.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : text;
