import type { Random } from '@mq/random';

export interface AttackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The pull requests that the repository has. */
export const PULL_REQUESTS = 6;

const repo = { host: 'local', owner: 'acme', name: 'widgets' };

const texts = (random: Random): string =>
  random.pick([
    ...[
      '',
      ' ',
      '0',
      '-1',
      'null',
      'main',
      '../../etc/passwd',
      '%00',
      '\u0000',
      '\ud800',
      '\u202e',
      '__proto__',
    ],
    ...[
      'constructor',
      "' or 1=1 --",
      '<img src=x onerror=alert(1)>',
      '%24{7*7}',
      'a'.repeat(5_000),
      '🂡'.repeat(300),
    ],
    ...['refs/heads/main', 'main\nmq', '$(touch /tmp/x)', '--upload-pack=x', '2026-02-30T99:00:00Z', 'PT1S'],
  ]);

const numbers = (random: Random): number =>
  random.pick([0, -1, 1, 2, 3.5, 99, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 1e-9, random.int(0, 10_000)]);

/** Any JSON value, with this maximum depth. */
const anything = (random: Random, depth = 3): Json => {
  const kind = random.weighted({ text: 4, number: 4, flag: 2, nothing: 1, list: 1, object: 2 });
  switch (kind) {
    case 'text':
      return texts(random);
    case 'number':
      return numbers(random);
    case 'flag':
      return random.chance(0.5);
    case 'nothing':
      return null;
    case 'list':
      return depth === 0 ? [] : Array.from({ length: random.int(0, 4) }, () => anything(random, depth - 1));
    case 'object':
      return depth === 0
        ? {}
        : Object.fromEntries(
            Array.from({ length: random.int(0, 4) }, () => [texts(random), anything(random, depth - 1)]),
          );
  }
};

/** The fields that requests take, with values of which most are valid. */
const fields: Readonly<Record<string, (random: Random) => Json>> = {
  repo: () => repo,
  targetBranch: (random) => random.pick(['main', 'main', 'main', 'none']),
  branch: () => 'main',
  pr: (random) => ({ number: random.int(1, PULL_REQUESTS + 1) }),
  prs: (random) => [{ number: random.int(1, PULL_REQUESTS + 1) }],
  priority: (random) => random.pick([0, 10, 255, 256, 'high', 'URGENT', 'none']),
  skipTheLine: (random) => random.chance(0.5),
  noBatch: (random) => random.chance(0.5),
  concurrency: (random) => random.int(0, 20),
  mode: (random) => random.pick(['single', 'parallel', 'other']),
  state: (random) => random.pick(['running', 'paused', 'draining', 'gone']),
  impactedTargets: (random) => random.pick<Json>(['ALL', [], ['//a', '//b'], [''], ['x'.repeat(2_000)]]),
  take: (random) => random.int(-1, 101),
  cursor: texts,
  since: (random) => random.pick(['2026-01-01T00:00:00.000Z', 'yesterday', '']),
  until: (random) => random.pick(['2027-01-01T00:00:00.000Z', 'tomorrow', '']),
  at: (random) => random.pick(['2026-11-26T00:00:00.000Z', '1969-01-01T00:00:00Z', 'now']),
  bucket: (random) => random.pick(['hour', 'day', 'year']),
  waitSeconds: () => 0,
  testRunId: texts,
  check: texts,
  status: (random) => random.pick(['queued', 'running', 'completed', 'lost']),
  conclusion: (random) => random.pick(['success', 'failure', 'maybe']),
  operation: (random) =>
    random.pick(['submitPullRequest', 'updateQueue', 'cancelPullRequest', 'deleteQueue']),
  name: texts,
  scopes: (random) => random.pick<Json>([['read'], ['read', 'admin'], ['none'], 'read']),
  tokenId: texts,
  webhookId: texts,
  url: (random) =>
    random.pick(['http://127.0.0.1:22/', 'https://receiver.example/', 'file:///etc/passwd', '']),
  publicRead: (random) => random.chance(0.5),
  freezeUntil: (random) => random.pick<Json>([null, '2026-01-01T00:00:00.000Z', 'never']),
  requiredStatuses: (random) => random.pick<Json>([null, [], ['unit'], [1]]),
  includeTimeline: (random) => random.chance(0.5),
};
const fieldNames = Object.keys(fields);

const bodyOf = (random: Random): string => {
  const body: Record<string, Json> = {
    repo,
    targetBranch: 'main',
    pr: { number: random.int(1, PULL_REQUESTS + 1) },
  };
  for (let added = random.int(0, 5); added > 0; added -= 1) {
    const name = random.pick(fieldNames);
    body[name] = fields[name]?.(random) ?? null;
  }
  for (let spoiled = random.chance(0.4) ? random.int(1, 3) : 0; spoiled > 0; spoiled -= 1)
    body[random.chance(0.8) ? random.pick(fieldNames) : texts(random)] = anything(random);
  const text = JSON.stringify(random.chance(0.03) ? anything(random) : body);
  if (random.chance(0.03)) return text.slice(0, random.int(0, text.length));
  if (random.chance(0.02)) return '['.repeat(random.int(1, 20_000));
  return text;
};

/** The next request of a series; `tokens` are those that a client may have, valid ones and others. */
export const attackRequest = (
  random: Random,
  { paths, tokens }: { readonly paths: readonly string[]; readonly tokens: readonly string[] },
): AttackRequest => {
  const known = random.pick(paths);
  const query = new URLSearchParams({ [texts(random)]: texts(random) });
  const path = random.chance(0.05) ? `${known}/${query}?${query}` : known;
  const method = random.weighted({ POST: 90, GET: 6, PUT: 1, DELETE: 1, PATCH: 1, OPTIONS: 1 });
  const headers = {
    'content-type': random.weighted({
      'application/json': 95,
      'text/plain': 2,
      'multipart/form-data': 2,
      'x/y': 1,
    }),
    'x-api-token': random.pick(tokens),
    ...(random.chance(0.1) ? { 'idempotency-key': `key-${random.int(1, 50)}` } : {}),
    ...(random.chance(0.05) ? { 'if-match': `"${random.int(1, 9)}"` } : {}),
    ...(random.chance(0.02) ? { 'x-forked-workflow-run-id': String(random.int(1, 9)) } : {}),
    ...(random.chance(0.02) ? { accept: 'text/plain' } : {}),
  };
  return { method, path, headers, body: method === 'GET' || method === 'OPTIONS' ? null : bodyOf(random) };
};
