import { Gauge, Histogram, Registry } from 'prom-client';
import { bucketSeconds, catalogue, type MetricName } from './catalogue.js';
import type { Sample } from './measure.js';

/** Samples as text exposition format 0.0.4. Series without an observation are shown as well, with zeros. */
export const exposition = async (samples: readonly Sample[]): Promise<string> => {
  const registry = new Registry();
  const set = Object.fromEntries(
    (Object.keys(catalogue) as MetricName[]).map((name) => [name, setterOf(registry, name)]),
  ) as Record<MetricName, (sample: Sample) => void>;
  for (const sample of samples) set[sample.name](sample);
  return registry.metrics();
};

const setterOf = (registry: Registry, name: MetricName): ((sample: Sample) => void) => {
  const { type, help, labels } = catalogue[name];
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'gauge') {
    const gauge = new Gauge(options);
    return (sample) => gauge.set(sample.labels, sample.values[0] ?? 0);
  }
  const histogram = new Histogram({ ...options, buckets: [...bucketSeconds] });
  return (sample) => {
    histogram.zero(sample.labels);
    for (const value of sample.values) histogram.observe(sample.labels, value);
  };
};
