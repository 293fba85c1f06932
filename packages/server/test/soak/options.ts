import { parseArgs } from 'node:util';

export const usage = `Lets replicas work under load while they are killed, stopped and cut off, and looks whether every promise was kept.

  npm run soak -- --minutes 60
  npm run soak -- --kills 200 --page docs/evidence/soak.md

  --minutes N         how long there is load; 10 where neither this nor --kills is given
  --kills N           load until that many kills are done, instead
  --kill-every N      seconds from one kill -9 to the next, more or less; 60 where left out, with --kills 10; 0: never
  --replicas N        servers on the one PostgreSQL; 2 where left out
  --load N            pull requests that are in the queue at once; 10 where left out
  --seed N            of the choices; random where left out. Choices are the same then, moments are not
  --json              the report as JSON
  --page FILE         the report as a page, too
  --help

Ends with 1 where a promise was broken (what was left behind is kept then, for a look), and with 2 where it could not run.
`;

export interface SoakOptions {
  readonly until:
    | { readonly kind: 'minutes'; readonly minutes: number }
    | { readonly kind: 'kills'; readonly kills: number };
  /** Zero: never. */
  readonly killEverySeconds: number;
  readonly replicas: number;
  readonly load: number;
  readonly seed: number;
  readonly json: boolean;
  readonly page: string | null;
}

const options = {
  minutes: { type: 'string' },
  kills: { type: 'string' },
  'kill-every': { type: 'string' },
  replicas: { type: 'string', default: '2' },
  load: { type: 'string', default: '10' },
  seed: { type: 'string' },
  json: { type: 'boolean', default: false },
  page: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const MINUTES_LIMIT = 7 * 24 * 60;
const KILLS_LIMIT = 100_000;
const SEED_LIMIT = 2 ** 32 - 1;

/** The requested options; null if help is requested. Throws an error that says what is wrong with the arguments. */
export const readOptions = (args: readonly string[]): SoakOptions | null => {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return null;
  if (values.minutes !== undefined && values.kills !== undefined)
    throw new Error('Give --minutes or --kills, not both.');
  const until: SoakOptions['until'] =
    values.kills === undefined
      ? { kind: 'minutes', minutes: number('--minutes', values.minutes ?? '10', [0.01, MINUTES_LIMIT]) }
      : { kind: 'kills', kills: whole('--kills', values.kills, [1, KILLS_LIMIT]) };
  const often = values['kill-every'] ?? (until.kind === 'kills' ? '10' : '60');
  const killEverySeconds = number('--kill-every', often, [0, 86_400]);
  if (until.kind === 'kills' && killEverySeconds === 0)
    throw new Error('With --kills there have to be kills: --kill-every must be more than 0.');
  return {
    until,
    killEverySeconds,
    replicas: whole('--replicas', values.replicas, [1, 9]),
    load: whole('--load', values.load, [1, 100]),
    seed: values.seed === undefined ? Date.now() % 1_000_000 : whole('--seed', values.seed, [0, SEED_LIMIT]),
    json: values.json,
    page: values.page ?? null,
  };
};

type Bounds = readonly [least: number, most: number];

const number = (name: string, text: string, [least, most]: Bounds): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most))
    throw new Error(`${name} is "${text}"; it must be a number from ${least} to ${most}.`);
  return value;
};

const whole = (name: string, text: string, bounds: Bounds): number => {
  const value = number(name, text, bounds);
  if (!Number.isInteger(value)) throw new Error(`${name} is "${text}"; it must be a whole number.`);
  return value;
};
