import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '@mq/random';
import { git } from '@mq/test-git';
import { pushTriggeredCi, TEAM } from '@mq/test-gitea';
import { expect, onTestFinished, test } from 'vitest';
import { judge } from './kills/judge.js';
import { type Killer, startKiller } from './kills/killer.js';
import { type PlannedPull, plannedPulls, plannedSettings } from './kills/plan.js';
import { killsWorld, type Servers } from './kills/world.js';
import { until as comesAbout } from './until.js';

/** Sizes. `MQ_KILLS_SEED=7 MQ_KILLS_PULLS=40 MQ_KILLS=30` before the command repeats a run, or makes a larger one. */
const PULLS = Number(process.env.MQ_KILLS_PULLS ?? 12);
const KILLS = Number(process.env.MQ_KILLS ?? 6);
const LIMIT_MS = 300_000 + 20_000 * KILLS;
const CHECKS = ['ci/unit', 'ci/lint'];
const CHECK_MS = 200;
const SUBMIT_PAUSE_MS = 1_000;
const CHANGE_PAUSE_MS = 6_000;
const NAME = 'kills';
const PATH = `/repos/${TEAM}/${NAME}`;

/** One run: performs the actions of the seed while both processes are killed. Throws the violations at its end. */
const runOf = async (seed: number, servers: Servers): Promise<void> => {
  const random = new Random(seed);
  const world = await killsWorld(NAME, servers);
  onTestFinished(() => world.end());
  const { forge, place, calls, replicas, way } = world;
  const pulls = plannedPulls(random.fork('pulls'), PULLS);
  const settings = plannedSettings(random.fork('settings'));

  const numbers = new Map<string, number>();
  await forge.push(place.bare, NAME, 'refs/heads/main:refs/heads/main');
  await forge.until(PATH, ({ empty }) => empty === false);
  for (const { name, files } of pulls) await place.commit(name, files, 'main');
  await forge.push(place.bare, NAME, ...pulls.map(({ name }) => `refs/heads/${name}:refs/heads/${name}`));
  for (const { name } of pulls) {
    const asked = { head: name, base: 'main', title: name };
    numbers.set(name, Number((await forge.api('POST', `${PATH}/pulls`, asked)).number));
  }
  await forge.api('POST', `${PATH}/branch_protections`, {
    ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: CHECKS },
  });
  await calls.call('createQueue', settings);
  const numberOf = ({ name }: PlannedPull): number => numbers.get(name) ?? 0;

  const people = random.fork('people');
  /** A person tries again while the host is down. */
  const insist = (act: () => Promise<unknown>): Promise<unknown> =>
    comesAbout(
      () =>
        act().then(
          () => true,
          () => false,
        ),
      (isDone) => isDone,
      { limitMs: LIMIT_MS, everyMs: 300 },
    );
  const change = async (pull: PlannedPull, afterMs: number): Promise<unknown> => {
    await wait(afterMs);
    if (pull.fate === 'closed')
      return insist(() => forge.api('PATCH', `${PATH}/pulls/${numberOf(pull)}`, { state: 'closed' }));
    await place.commit(pull.name, { [`${pull.name}-again.txt`]: 'pushed again\n' });
    return insist(() => forge.push(place.bare, NAME, `refs/heads/${pull.name}:refs/heads/${pull.name}`));
  };

  const ci = pushTriggeredCi(forge, NAME, CHECKS, CHECK_MS);
  const killer: Killer = startKiller({ gitea: forge.gitea, replicas, way }, random.fork('kills'), KILLS);
  const story = () => [`Seed ${seed}, ${servers}, ${JSON.stringify(settings)}`, ...killer.log].join('\n');
  try {
    const changes: Promise<unknown>[] = [];
    for (const pull of pulls) {
      await calls.call('submitPullRequest', { pr: { number: numberOf(pull) } });
      if (pull.fate === 'closed' || pull.fate === 'pushed')
        changes.push(change(pull, people.int(0, CHANGE_PAUSE_MS)));
      await wait(people.int(0, SUBMIT_PAUSE_MS));
    }
    await Promise.all([killer.done, ...changes]);
    killer.note('all kills were made');
    const unsettled = async (): Promise<readonly string[]> => {
      const states = await Promise.all(
        pulls.map(async (pull) => `${pull.name} ${await calls.stateOf(numberOf(pull))}`),
      );
      return states.filter(
        (each) => !/ (merged|failed|cancelled)$/.test(each) && !/^rival.* not_ready$/.test(each),
      );
    };
    await comesAbout(unsettled, (left) => left.length === 0, { limitMs: LIMIT_MS, everyMs: 500 });
    killer.note('all pull requests have ended');
    const candidates = () => git(forge.bare(NAME), 'for-each-ref', 'refs/heads/mq');
    await comesAbout(candidates, (left) => left === '', {
      limitMs: LIMIT_MS / 2,
      what: 'no candidate is left',
    });
    await ci.end();
    const ended = { world, name: NAME, pulls, numbers, tested: ci.tested, checks: CHECKS };
    // A mark that a kill prevented is made by a later effect.
    const asked = { limitMs: 60_000, everyMs: 2_000, what: 'nothing is wrong at the end' };
    await comesAbout(
      () => judge(ended),
      (faults) => faults.length === 0,
      asked,
    );
    killer.note('nothing is wrong');
    console.log(story());
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}\n${story()}`);
  } finally {
    await ci.end();
  }
};

const seed = Number(process.env.MQ_KILLS_SEED ?? Date.now() % 1_000_000);

test(
  'every landing is tested, kept, proved and shown by the host, however Gitea and the servers are killed',
  async () => {
    const servers = new Random(seed).fork('servers').pick(['one', 'two'] as const);
    console.log(`Seed of the kills: ${seed} (MQ_KILLS_SEED)`);
    await expect(runOf(seed, servers)).resolves.toBeUndefined();
  },
  LIMIT_MS * 2,
);
