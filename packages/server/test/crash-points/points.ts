import type { CodeHost, Effect, Store } from '@mq/core';

/** The effects that there are by now, with their numbers in the design: what the git host does for an effect of that type. */
export const effects = {
  build_candidate: {
    number: 'E1, E12',
    what: 'build a candidate in the repository and write its ref',
    method: 'buildCandidate',
  },
  start_checks: { number: 'E4', what: 'start the checks of a candidate', method: 'startChecks' },
  cancel_checks: { number: 'E5', what: 'cancel checks', method: 'cancelChecks' },
  land: { number: 'E6, E8', what: 'move the target and mark pull requests merged', method: 'land' },
  drop_candidate: { number: 'E10', what: 'delete the ref of a candidate', method: 'dropCandidate' },
} as const satisfies Partial<
  Record<Effect['type'], { number: string; what: string; method: keyof CodeHost }>
>;
export type CrashEffect = keyof typeof effects;

export const boundaries = {
  b1: 'before the effect is committed',
  b2: 'committed, not sent',
  b3: 'sent, not done',
  b4: 'done, answer lost',
  b5: 'recorded, next step not begun',
} as const;
export type Boundary = keyof typeof boundaries;

export interface CrashPoint {
  readonly effect: CrashEffect;
  readonly boundary: Boundary;
}

export const crashPoints: readonly CrashPoint[] = (Object.keys(effects) as CrashEffect[]).flatMap((effect) =>
  (Object.keys(boundaries) as Boundary[]).map((boundary) => ({ effect, boundary })),
);

export const nameOf = ({ effect, boundary }: CrashPoint): string => `${effect} ${boundary}`;

export const pointNamed = (name: string): CrashPoint | null =>
  crashPoints.find((point) => nameOf(point) === name) ?? null;

/** Long enough for a git process to have been started, and short enough for it not to have ended. */
const SENT_MS = 3;

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('it is dead');
};

type Wrapped = Readonly<Record<string, (real: () => Promise<unknown>, first: unknown) => Promise<unknown>>>;

const wrap = <Port extends object>(port: Port, wrapped: Wrapped): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      const around = wrapped[String(name)];
      if (typeof member !== 'function') return member;
      const call = (args: unknown[]): unknown => Reflect.apply(member, target, args);
      return (...args: unknown[]) =>
        around === undefined ? call(args) : around(async () => call(args), args[0]);
    },
  });

/** The store and the host as they are, except that this process ends by SIGKILL when it comes to the point. */
export const deadly = <Host extends CodeHost>(
  point: CrashPoint,
  store: Store,
  host: Host,
): { readonly store: Store; readonly host: Host } => {
  const { effect, boundary } = point;
  const has = (of: readonly Effect[]) => of.some(({ type }) => type === effect);
  const commit: Wrapped[string] = async (real, given) => {
    const { effects: requested, settled } = given as Parameters<Store['commit']>[0];
    if (boundary === 'b1' && has(requested)) die();
    const outcome = (await real()) as Awaited<ReturnType<Store['commit']>>;
    if (outcome.kind !== 'committed') return outcome;
    if (boundary === 'b2' && has(requested)) die();
    if (boundary === 'b5' && has(settled.map((lease) => lease.effect))) die();
    return outcome;
  };
  const settle: Wrapped[string] = async (real, given) => {
    const done = await real();
    if (boundary === 'b5' && has([(given as Parameters<Store['settle']>[0]).effect])) die();
    return done;
  };
  const carryOut: Wrapped[string] = async (real) => {
    const answer = real();
    if (boundary === 'b3') setTimeout(die, SENT_MS);
    await answer;
    return die();
  };
  const isSent = boundary === 'b3' || boundary === 'b4';
  return {
    store: wrap(store, { commit, settle }),
    host: wrap(host, isSent ? { [effects[effect].method]: carryOut } : {}),
  };
};
