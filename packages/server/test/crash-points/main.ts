import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Crashed } from './crash.js';
import { crashPlaces } from './databases.js';
import { crashPage } from './page.js';
import { type CrashPoint, crashPoints, nameOf } from './points.js';

/** On PostgreSQL most of the time is spent waiting for a lease to run out. */
const POINTS_AT_ONCE = 3;

const usage = `Kills a process at each crash point, on PGlite and on PostgreSQL, and looks whether every promise was kept.

  npm run crash-points [-- --only "land b4"[,…]] [--page docs/evidence/crash-points.md]

Ends non-zero where one was not.
`;

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, page: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  if (values.page !== undefined && values.only !== undefined)
    throw new Error('A page holds all points: leave out --only, or --page.');
  const names = values.only?.split(',').map((name) => name.trim());
  const points = crashPoints.filter((point) => names === undefined || names.includes(nameOf(point)));
  await using places = await crashPlaces();
  const rows: { readonly pglite: Crashed; readonly postgres: Crashed }[] = [];
  const rowOf = async (point: CrashPoint) => {
    const [pglite, postgres] = await Promise.all([places.onPGlite(point), places.onPostgres(point)]);
    process.stdout.write(`${nameOf(point)}: PGlite ${wordOf(pglite)}; PostgreSQL ${wordOf(postgres)}\n`);
    return { pglite, postgres };
  };
  for (let at = 0; at < points.length; at += POINTS_AT_ONCE)
    rows.push(...(await Promise.all(points.slice(at, at + POINTS_AT_ONCE).map(rowOf))));
  if (values.page !== undefined) await writeFile(values.page, crashPage(rows));
  return rows.some(({ pglite, postgres }) => pglite.faults.length + postgres.faults.length > 0) ? 1 : 0;
};

const wordOf = ({ faults, quietMs }: Crashed): string =>
  faults.length === 0 ? `kept, quiet after ${(quietMs / 1_000).toFixed(1)} s` : faults.join('; ');

process.exitCode = await main();
