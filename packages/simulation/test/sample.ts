/** How much of each set is run. `Step` of n: every n-th of the set. */
export interface Sample {
  /** Seeds from 1 on; `npm run sim -- --seeds N` runs any number. */
  readonly seeds: number;
  readonly corpusStep: number;
  readonly crashPointStep: number;
  /** Planted bugs that are searched by seeds. */
  readonly searchedBugs: number;
  /** Planted bugs with a seed that shows them. */
  readonly namedBugs: number;
}

const whole: Sample = {
  seeds: 500,
  corpusStep: 1,
  crashPointStep: 1,
  searchedBugs: Number.POSITIVE_INFINITY,
  namedBugs: Number.POSITIVE_INFINITY,
};

const samples: Readonly<Record<string, Sample>> = {
  /** `npm test`, which answers within five minutes. */
  quick: { seeds: 20, corpusStep: 10, crashPointStep: 16, searchedBugs: 1, namedBugs: 1 },
  /** The sample that continuous integration runs after that, within 25 minutes in all. */
  ci: { seeds: 120, corpusStep: 2, crashPointStep: 4, searchedBugs: 4, namedBugs: Number.POSITIVE_INFINITY },
};

/** The sample of this run: that of `MQ_TESTS`, or the whole sets. The same on every machine. */
export const sample: Sample = samples[process.env.MQ_TESTS ?? ''] ?? whole;

/** Every `step`-th of `all`, from the first on. */
export const everyNth = <One>(all: readonly One[], step: number): readonly One[] =>
  all.filter((_one, index) => index % step === 0);
