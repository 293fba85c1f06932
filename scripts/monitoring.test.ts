import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { catalogue } from '../packages/core/src/metrics/catalogue.js';
import { counterCatalogue } from '../packages/server/src/counters/catalogue.js';
import { Counters } from '../packages/server/src/counters/counters.js';

const read = (path: string): string =>
  readFileSync(new URL(`../monitoring/${path}`, import.meta.url), 'utf8');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const rules = (parse(read('alerts.yml')) as Rules).groups.flatMap(({ rules: all }) => all);

/** The names of metrics in an expression, without the ends that histograms add. */
const metricsIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b(mq|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );

const served = async (): Promise<ReadonlySet<string>> => {
  const help = (await new Counters().text()).matchAll(/^# HELP (\S+)/gm);
  return new Set([...Object.keys(catalogue), ...[...help].map(([, name = '']) => name)]);
};

test('every metric that the dashboard and the alert rules name exists', async () => {
  const names = await served();
  const expressions = [
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ];
  expect(expressions.length).toBeGreaterThan(25);
  const unknown = expressions.flatMap(([where, expression]) =>
    metricsIn(expression)
      .filter((name) => !names.has(name))
      .map((name) => `${where}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('every counter of the queue is on the dashboard', () => {
  const shown = new Set(
    dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))),
  );
  const missing = Object.keys(counterCatalogue).filter((name) => !shown.has(name));
  expect(missing).toEqual([]);
});
