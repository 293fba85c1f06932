import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '@mq/random';
import type { Ask } from './client.js';
import type { Kind, Ledger, Pull } from './ledger.js';
import { branchFromMain, commitAll, git, makeClone, type Soaked } from './repository.js';

const REST_MS = 200;
/** How often people meddle, per pull request that is opened. */
const RATES = { meddle: 0.3, directPush: 0.03, settings: 0.05, twice: 0.05, resubmit: 0.7 };
const KINDS: readonly Kind[] = [
  ...Array<Kind>(12).fill('good'),
  ...Array<Kind>(3).fill('broken'),
  ...Array<Kind>(2).fill('clash'),
  ...Array<Kind>(3).fill('conflict'),
];
const SETTINGS: readonly object[] = [
  { mode: 'parallel' },
  { mode: 'single' },
  { batch: false },
  { batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 },
  { canOptimisticallyMerge: true },
  { canOptimisticallyMerge: false },
  { pendingFailureDepth: 1 },
  { pendingFailureDepth: 0 },
  { concurrency: 2 },
  { concurrency: 4 },
];

/** The settings at the end, so that no batch waits to fill. */
export const CALM = { mode: 'single', batch: false, pendingFailureDepth: 0, concurrency: 4 };

export interface PersonParts {
  readonly name: string;
  readonly ask: Ask;
  readonly soaked: Soaked;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly folder: string;
  /** How many pull requests are in the queue before no other is opened. */
  readonly load: number;
  readonly signal: AbortSignal;
}

/** A person who opens pull requests, submits them, changes their mind, and goes home when the signal says so. */
export class Person {
  readonly #parts: PersonParts;
  #opened = 0;

  constructor(parts: PersonParts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { ask, random, load, signal } = this.#parts;
    const clone = await makeClone(this.#parts.folder);
    while (!signal.aborted) {
      const { json } = await ask('getQueue');
      const live: number[] = [...json.enqueuedPullRequests, ...json.notReadyPullRequests].map(
        ({ prNumber }: { prNumber: number }) => prNumber,
      );
      if (live.length < load) {
        await this.#bring(clone);
        const known = this.#parts.ledger.pulls.get(live.length === 0 ? 0 : random.pick(live));
        if (known !== undefined && random.chance(RATES.meddle)) await this.#meddle(clone, known);
        if (random.chance(RATES.directPush)) await this.#pushPast(clone);
        if (random.chance(RATES.settings)) await this.#changeSettings();
      }
      await wait(REST_MS);
    }
  }

  /** One pull request, or two that clash. */
  async #bring(clone: string): Promise<void> {
    const kind = this.#parts.random.pick(KINDS);
    const parts = kind === 'clash' ? ['left', 'right'] : ['one'];
    const opened: Pull[] = [];
    for (const part of parts) opened.push(await this.#open(clone, kind, part));
    for (const pull of opened) await this.#submit(pull);
  }

  async #open(clone: string, kind: Kind, part: string): Promise<Pull> {
    const { name, soaked, ledger } = this.#parts;
    if (part !== 'right') this.#opened += 1;
    const about = `${name}-${this.#opened}`;
    const branch = `${about}-${part}`;
    await branchFromMain(clone, soaked.bare, branch);
    await writeFile(join(clone, `${branch}.txt`), `${branch}\n`);
    if (kind === 'broken') await writeFile(join(clone, `broken-${about}`), '');
    if (kind === 'clash') await writeFile(join(clone, `${part}-${about}`), '');
    if (kind === 'conflict') await writeFile(join(clone, 'shared.txt'), `${branch}\n`);
    await commitAll(clone, `Write ${branch}`);
    await git(clone, 'push', '--quiet', soaked.bare, `HEAD:refs/heads/${branch}`);
    const { number } = await soaked.pulls.open({ head: branch, base: 'main' });
    return ledger.open(number, branch, kind);
  }

  async #submit(pull: Pull): Promise<void> {
    const { ask, random } = this.#parts;
    const times = random.chance(RATES.twice) ? 2 : 1;
    await ask('setImpactedTargets', { pr: { number: pull.number }, impactedTargets: targetsOf(pull) });
    for (let time = 0; time < times; time += 1) {
      const { status, json } = await ask('submitPullRequest', { pr: { number: pull.number } });
      if (status === 200) pull.confirmed.push(json.attempt);
    }
  }

  async #meddle(clone: string, pull: Pull): Promise<void> {
    const { ask, random, soaked } = this.#parts;
    const meddling = random.pick(['pushed', 'pushed', 'cancelled', 'closed'] as const);
    pull.meddlings.push(meddling);
    if (meddling === 'cancelled') await ask('cancelPullRequest', { pr: { number: pull.number } });
    else if (meddling === 'closed') await soaked.pulls.edit(pull.number, { state: 'closed' }).catch(isMerged);
    else await this.#push(clone, pull);
    if (meddling !== 'closed' && random.chance(RATES.resubmit)) await this.#submit(pull);
  }

  async #push(clone: string, { branch }: Pull): Promise<void> {
    const { bare } = this.#parts.soaked;
    await git(clone, 'fetch', '--quiet', bare, branch);
    await git(clone, 'checkout', '--quiet', '--force', '-B', branch, 'FETCH_HEAD');
    await appendFile(join(clone, `${branch}.txt`), 'and more\n');
    await commitAll(clone, `Write more of ${branch}`);
    // Another person may have pushed to it in the same moment: the second push is skipped.
    await git(clone, 'push', '--quiet', bare, `HEAD:refs/heads/${branch}`).catch(() => undefined);
  }

  /** Pushes directly to the branch, past the queue. Does nothing if the queue was faster. */
  async #pushPast(clone: string): Promise<void> {
    const { soaked, ledger, name } = this.#parts;
    this.#opened += 1;
    await branchFromMain(clone, soaked.bare, 'past');
    await writeFile(join(clone, `past-${name}-${this.#opened}.txt`), 'past the queue\n');
    const commit = await commitAll(clone, 'Push past the queue');
    await git(clone, 'push', '--quiet', soaked.bare, 'HEAD:refs/heads/main')
      .then(() => void ledger.pushes.push(commit))
      .catch(() => undefined);
  }

  async #changeSettings(): Promise<void> {
    const { ask, random, ledger } = this.#parts;
    await ask('updateQueue', { ...random.pick(SETTINGS) });
    ledger.settingsChanges += 1;
  }
}

/** Clashing pull requests touch the same; of the others some do. */
const targetsOf = ({ branch, kind, number }: Pull): readonly string[] => {
  if (kind === 'conflict') return ['shared'];
  return [kind === 'clash' ? branch.replace(/-(left|right)$/, '') : `part ${number % 5}`];
};

const isMerged = (error: unknown): void => {
  if (!(error instanceof Error && 'code' in error && error.code === 'PULL_REQUEST_MERGED')) throw error;
};
