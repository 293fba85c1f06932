import { z } from 'zod';

const CHANGES_LIMIT = 100_000;
const minutes = z.number().min(0).max(10_000_000);
const index = z.int().min(0).max(CHANGES_LIMIT);

const arrivals = z.object({
  /** The position in the list; the pull request has the next number. */
  i: index,
  /** The time of submission from the start of the load; in ascending order. */
  arr: minutes,
  /** The duration of a test of it. */
  dur: minutes,
  /** True if every test of it fails. */
  bad: z.boolean(),
  /** The targets that it impacts. */
  tg: z.union([z.literal('ALL'), z.array(index).max(10_000)]),
  /** Earlier pull requests that it conflicts with: together they fail, separately they pass. */
  conf: z.array(index).max(10_000),
});

const workloads = z
  .object({
    name: z.string().min(1).max(100),
    seed: z.int().min(0),
    /** Max concurrent tests. */
    W: z.int().min(1).max(1_000),
    /** The duration of a baseline run. */
    tipDur: minutes,
    prs: z.array(arrivals).min(1).max(CHANGES_LIMIT),
  })
  .superRefine(({ prs }, context) => {
    for (const [position, { i, arr, conf }] of prs.entries()) {
      const report = (message: string) =>
        context.addIssue({ code: 'custom', path: ['prs', position], message });
      if (i !== position) report(`i must be the position in the list, ${position}`);
      if (arr < (prs[position - 1]?.arr ?? 0)) report('arr must not be before the arrival ahead of it');
      if (conf.some((other) => other >= position)) report('conf must name earlier pull requests');
    }
  });

/** Pull requests that arrive at one queue. Times are minutes. */
export type Workload = z.infer<typeof workloads>;
export type Arrival = Workload['prs'][number];

/** Throws with all faults if the value is not a workload. */
export const parseWorkload = (value: unknown): Workload => {
  const parsed = workloads.safeParse(value);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
};

/**
 * Variants of a load: each touches everything, none touches or conflicts with anything, all arrive on the hour, or there are
 * twice as many runners.
 */
export const variants = ['all', 'none', 'hourly', 'double'] as const;
export type Variant = (typeof variants)[number];

export const varied = (load: Workload, variant: Variant): Workload => ({
  ...load,
  name: `${load.name}/${variant}`,
  W: variant === 'double' ? 2 * load.W : load.W,
  prs: load.prs.map((one) => ({ ...one, ...changes[variant](one) })),
});

export const withRunners = (load: Workload, runners: number): Workload => ({
  ...load,
  name: `${load.name}/W${runners}`,
  W: runners,
});

const changes: Readonly<Record<Variant, (one: Arrival) => Partial<Arrival>>> = {
  all: () => ({ tg: 'ALL' }),
  none: () => ({ tg: [], conf: [] }),
  double: () => ({}),
  hourly: ({ arr }) => ({ arr: Math.floor(arr / 60) * 60 }),
};

/** True if both impact a common target. `ALL` overlaps with everything. */
export const doOverlap = (one: Arrival, other: Arrival): boolean => {
  if (one.tg === 'ALL' || other.tg === 'ALL') return true;
  const { tg } = other;
  return one.tg.some((target) => tg.includes(target));
};

/** By position: whether it passes once everything ahead is decided in order. */
export const truthOf = ({ prs }: Workload): readonly boolean[] => {
  const passes: boolean[] = [];
  for (const { bad, conf } of prs) passes.push(!bad && !conf.some((other) => passes[other]));
  return passes;
};
