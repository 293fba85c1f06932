/** The secrets that a service makes: tokens, report tokens, secrets of webhooks; and the ones that tests configure. */
const SECRETS =
  /mqt_[0-9A-Za-z]{36}|mqr_[\w-]{16,}\.[\w-]{16,}|whsec_[0-9A-Za-z+/]{24,}|secret-of-[a-z-]*[a-z]/g;
/** The first start prints the bootstrap token: on a line of its own, and in the commands to try. */
const GREETING = /^ *(?:Token {3}\S+|export MQ_URL=\S+ MQ_TOKEN=\S+)$/gm;

interface Leak {
  readonly where: string;
  readonly secret: string;
}

interface Watched {
  /** Secrets that no pattern finds. */
  named: ReadonlySet<string>;
  leaks: readonly Leak[];
  later: readonly { readonly where: string; readonly text: () => string }[];
}

/** Shared by all files of a worker: this module may be loaded once for each, and modules that import it only once. */
const key = Symbol.for('mq.secret-watch');
const shared = globalThis as { [key]?: Watched };
const watched: Watched = shared[key] ?? { named: new Set(), leaks: [], later: [] };
shared[key] = watched;

/** Declares a text to be a secret that has no known form, such as a token of a code host. */
export const isSecret = (text: string): void => {
  watched.named = new Set([...watched.named, text]);
};

export const secretsIn = (text: string): readonly string[] => {
  const read = text.replaceAll(GREETING, '');
  return [...(read.match(SECRETS) ?? []), ...[...watched.named].filter((secret) => read.includes(secret))];
};

/** Searches a log, an error or an event: a secret in it fails the running test. */
export const watch = (where: string, text: string): void => {
  const found = secretsIn(text).map((secret) => ({ where, secret }));
  watched.leaks = [...watched.leaks, ...found];
};

/** Watches a text that grows: it is read when the test ends. */
export const watchUntilEnd = (where: string, text: () => string): void => {
  watched.later = [...watched.later, { where, text }];
};

/** For Fastify: searches everything that it logs. */
export const watchedLog = {
  level: 'trace',
  stream: { write: (line: string) => watch('a log', line) },
} as const;

/** What was found since the last call. */
export const takeLeaks = (): readonly Leak[] => {
  for (const { where, text } of watched.later) watch(where, text());
  const { leaks } = watched;
  [watched.leaks, watched.later] = [[], []];
  return leaks;
};

/** Throws if a secret was found since the last look. */
export const requireNoLeak = (): void => {
  const [first, ...others] = takeLeaks();
  if (first === undefined) return;
  throw new Error(
    `A secret stands in ${first.where}: ${first.secret}${others.length === 0 ? '' : ` (and ${others.length} more)`}`,
  );
};
