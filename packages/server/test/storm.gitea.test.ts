import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyLandings } from '@mq/host-git';
import { Random } from '@mq/random';
import { git, makePlace, type Place } from '@mq/test-git';
import {
  BROKEN,
  type HttpProxy,
  type OwnForge,
  proxyTo,
  pushTriggeredCi,
  startForge,
  TEAM,
} from '@mq/test-gitea';
import { startPostgres, type TestPostgres } from '@mq/test-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase } from './fresh-database.js';
import { callsTo, type ReplicaCalls } from './replica-calls.js';
import { Replica } from './soak/replica.js';
import { until as comesAbout } from './until.js';

const NAME = 'storm';
const PATH = `/repos/${TEAM}/${NAME}`;
const TOKEN = 'the-token-of-the-storm';
const CHECKS = ['ci/unit', 'ci/lint'] as const;
const KILLS = 5;
/** Pull requests that are submitted while no push is allowed. */
const LAST_WAVE = 4;
const SLOW_MS = 600;
const SLOW_FOR_MS = 12_000;
const LIMIT_MS = 900_000;
const queue = { repo: { host: 'forge', owner: TEAM, name: NAME }, targetBranch: 'main' };

let forge: OwnForge;
let postgres: TestPostgres;
let way: HttpProxy;
let place: Place;
let folder: string;
let replicas: readonly Replica[];
let calls: ReplicaCalls;
const faults: string[] = [];

beforeAll(async () => {
  [forge, postgres, place] = await Promise.all([startForge(), startPostgres(), makePlace()]);
  await forge.repository(NAME);
  way = await proxyTo(forge.gitea.url);
  folder = await mkdtemp(join(tmpdir(), 'mq-storm-'));
  const tokenFile = join(forge.gitea.folder, 'admin-token');
  const hosts = [{ name: 'forge', type: 'gitea', url: way.url, owners: [TEAM], tokenFile }];
  const pace = { pollBranchMs: 2_000, pollPullRequestsMs: 3_000, pollChecksMs: 1_000, retryDelayMs: 500 };
  await writeFile(join(folder, 'mq.config.json'), JSON.stringify({ hosts, pace }));
  const database = (await freshDatabase(postgres.url)).href;
  const env = { MQ_DATA: folder, DATABASE_URL: database, MQ_TOKEN: TOKEN, PORT: '0', MQ_LOG_LEVEL: 'warn' };
  const fault = (name: string, how: string) => void faults.push(`${name}: ${how}`);
  const events = { ended: fault, refused: () => undefined, gaveUp: fault };
  replicas = ['one', 'two'].map((name) => new Replica(name, env, events));
  for (const replica of replicas) replica.run();
  calls = callsTo(replicas, TOKEN, queue);
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await way.close();
  await Promise.all([forge.end(), postgres.stop(), place.end()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const until = <Value>(
  what: string,
  ask: () => Promise<Value>,
  holds: (value: Value) => boolean,
  limitMs = LIMIT_MS,
): Promise<Value> => comesAbout(ask, holds, { limitMs, everyMs: 400, what });

/** Opens a pull request for each branch, with one push for all. */
const openAll = async (
  branches: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<ReadonlyMap<string, number>> => {
  for (const [branch, files] of Object.entries(branches)) await place.commit(branch, files, 'main');
  const specs = ['main', ...Object.keys(branches)].map((each) => `refs/heads/${each}:refs/heads/${each}`);
  await forge.push(place.bare, NAME, 'refs/heads/main:refs/heads/main');
  await forge.until(PATH, ({ empty }) => empty === false);
  await forge.push(place.bare, NAME, ...specs, 'refs/heads/main:refs/heads/next');
  const numbers = new Map<string, number>();
  for (const branch of Object.keys(branches)) {
    const { number } = await forge.api('POST', `${PATH}/pulls`, {
      head: branch,
      base: 'main',
      title: branch,
    });
    numbers.set(branch, Number(number));
  }
  return numbers;
};

const named = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${kind}-${at + 1}`);

const fates = {
  good: named('good', 25),
  conflicting: named('conflicting', 3),
  failing: named('failing', 4),
  pushed: named('pushed', 2),
  closed: named('closed', 2),
  draft: named('draft', 1),
  retargeted: named('retargeted', 1),
  manual: named('manual', 2),
};

const filesOf = (branch: string): Readonly<Record<string, string>> => {
  if (branch.startsWith('conflicting')) return { 'good-1.txt': `${branch}\n` };
  return { [`${branch}.txt`]: branch.startsWith('failing') ? `${BROKEN}\n` : `${branch}\n` };
};

/** Kills a replica every few seconds, until it has done so often enough or is ended. */
const killer = (seed: number) => {
  const random = new Random(seed);
  let [isOn, kills] = [true, 0];
  const loop = async (): Promise<void> => {
    while (isOn && kills < KILLS) {
      await wait(random.int(4_000, 10_000));
      const victim = random.pick(replicas);
      if (isOn && victim.url !== null && victim.kill()) kills += 1;
    }
  };
  const killing = loop();
  return async (): Promise<number> => {
    isOn = false;
    await killing;
    return kills;
  };
};

test(
  'forty pull requests end as they must, while two servers and the host are killed and slowed down, and rules and branches change',
  async () => {
    const numbers = await openAll(
      Object.fromEntries(Object.values(fates).flatMap((names) => names.map((name) => [name, filesOf(name)]))),
    );
    expect(numbers.size).toBe(40);
    const of = (names: readonly string[]) => names.map((name) => numbers.get(name) ?? 0);
    const change = (name: string, change: object) =>
      forge.api('PATCH', `${PATH}/pulls/${numbers.get(name)}`, change);
    const protect = (method: string, rule: object) =>
      forge.api(method, `${PATH}/branch_protections${method === 'PATCH' ? '/main' : ''}`, {
        ...{ rule_name: 'main', enable_push: true, enable_status_check: true },
        ...rule,
      });
    await protect('POST', { status_check_contexts: [CHECKS[0]] });
    await calls.call('createQueue', {
      ...{ concurrency: 4, batch: true, batchingMinSize: 4, batchingMaxWaitTimeMinutes: 1 },
      mergeMethod: 'squash',
    });
    const seed = Number(process.env.MQ_STORM_SEED ?? Date.now() % 100_000);
    console.log(`Seed of the kills: ${seed} (MQ_STORM_SEED)`);
    const submit = async (...names: readonly string[]): Promise<void> => {
      for (const pr of of(names)) await calls.call('submitPullRequest', { pr: { number: pr } });
    };
    /** A person merges it at the host, unless the queue was faster. */
    const mergeByHand = (name: string) =>
      forge.api(
        'POST',
        `${PATH}/pulls/${numbers.get(name)}/merge`,
        { Do: 'squash', force_merge: true },
        { statuses: [405, 409] },
      );
    const [manual = '', lateManual = ''] = fates.manual;
    // Nothing is tested yet, so the person is faster.
    await submit('good-1', manual, ...fates.closed, ...fates.draft, ...fates.retargeted, ...fates.pushed);
    for (const name of fates.closed) await change(name, { state: 'closed' });
    for (const name of fates.draft) await change(name, { title: `WIP: ${name}` });
    for (const name of fates.retargeted) await change(name, { base: 'next' });
    for (const name of fates.pushed) await place.commit(name, { [`${name}.txt`]: 'pushed again\n' });
    await forge.push(
      place.bare,
      NAME,
      ...fates.pushed.map((name) => `refs/heads/${name}:refs/heads/${name}`),
    );
    // Gitea refuses with 405 while it still computes the mergeability.
    await until(
      'the person has merged it',
      async () => {
        await mergeByHand(manual);
        return (await forge.api('GET', `${PATH}/pulls/${numbers.get(manual)}`)).merged;
      },
      (merged) => merged === true,
    );
    const ci = pushTriggeredCi(forge, NAME, CHECKS, 300);
    const endKills = killer(seed);

    const phases: readonly (() => Promise<unknown>)[] = [
      async () => {
        await forge.gitea.stop('SIGKILL');
        await wait(2_000);
        await forge.gitea.restart();
      },
      async () => {
        way.delayMs = SLOW_MS;
        await wait(SLOW_FOR_MS);
        way.delayMs = 0;
      },
      () => protect('PATCH', { status_check_contexts: CHECKS }),
      () => mergeByHand(lateManual),
      async () => {
        await protect('PATCH', { enable_push: false });
        await submit(...fates.good.slice(-LAST_WAVE));
        await until(
          'the queue pauses',
          async () => (await calls.call('getQueue')).state,
          (state) => state === 'paused',
        );
        await protect('PATCH', { enable_push: true });
        await calls.call('updateQueue', { state: 'running' });
      },
    ];
    // The late one is submitted right before the person merges it.
    const waved = [...fates.good.slice(1, -LAST_WAVE), lateManual, ...fates.conflicting, ...fates.failing];
    const size = Math.ceil(waved.length / phases.length);
    expect(Math.floor(waved.indexOf(lateManual) / size)).toBe(3);
    for (const [at, phase] of phases.entries()) {
      await submit(...waved.slice(at * size, (at + 1) * size));
      await phase();
    }
    const unsettled = async (): Promise<readonly string[]> => {
      const states = await Promise.all(
        [...numbers].map(async ([name, pr]): Promise<string> => `${name} ${await calls.stateOf(pr)}`),
      );
      return states.filter(
        (each) => !/ (merged|failed|cancelled)$/.test(each) && !/^conflicting.* not_ready$/.test(each),
      );
    };
    await until('all have ended', unsettled, (left) => left.length === 0);
    const kills = await endKills();
    await ci.end();

    const endOf = async (names: readonly string[]) => Promise.all(of(names).map(calls.stateOf));
    expect(kills).toBeGreaterThan(0);
    expect(new Set(await endOf(fates.failing))).toEqual(new Set(['failed']));
    expect(new Set(await endOf(fates.manual))).toEqual(new Set(['merged']));
    for (const each of [fates.closed, fates.draft, fates.retargeted, fates.pushed])
      expect(new Set(await endOf(each))).toEqual(new Set(['cancelled']));
    // Of the pull requests that write the same file differently, one landed.
    const rivals = await endOf(['good-1', ...fates.conflicting]);
    expect(rivals.filter((state) => state === 'merged')).toHaveLength(1);
    expect(new Set(await endOf(fates.good.slice(1)))).toEqual(new Set(['merged']));

    const bare = forge.bare(NAME);
    const all = await calls.receipts();
    const verified = await verifyLandings({ receipts: all, repository: bare, branch: 'main' });
    expect(verified.faults).toEqual([]);
    const landedByQueue = new Set(all.map(({ pr }) => pr));
    const byHand = await Promise.all(
      of(fates.manual)
        .filter((pr) => !landedByQueue.has(pr))
        .map(async (pr) => (await forge.api('GET', `${PATH}/pulls/${pr}`)).merge_commit_sha),
    );
    expect(all.length + byHand.length).toBe(fates.good.length + fates.manual.length);
    expect(landedByQueue.has(numbers.get(manual) ?? 0)).toBe(false);
    const history = (await git(bare, 'rev-list', '--first-parent', 'main')).trim().split('\n');
    expect(history).toHaveLength(1 + all.length + byHand.length);
    // Every commit that the queue made the tip was tested and passed.
    const moves = (await git(bare, 'reflog', 'show', '--format=%H', 'refs/heads/main')).trim().split('\n');
    for (const tip of moves.filter((each) => each !== history.at(-1) && !byHand.includes(each)))
      expect([tip, (await forge.api('GET', `${PATH}/commits/${tip}/status`)).state]).toEqual([
        tip,
        'success',
      ]);
    const openAtHost = async () => {
      const states = await Promise.all(
        all.map(async ({ pr }) => [pr, (await forge.api('GET', `${PATH}/pulls/${pr}`)).merged]),
      );
      return states.filter(([, isMerged]) => isMerged !== true);
    };
    await until('all that landed is marked', openAtHost, (left) => left.length === 0, 60_000);
    await until(
      'no candidate is left',
      () => git(bare, 'for-each-ref', 'refs/heads/mq'),
      (left) => left === '',
      120_000,
    );
    expect(faults).toEqual([]);
  },
  LIMIT_MS * 1.2,
);
