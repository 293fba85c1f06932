import type { Receipt } from '@mq/core';
import { verifyLandings } from '@mq/host-git';
import { git } from '@mq/test-git';
import { BROKEN, TEAM } from '@mq/test-gitea';
import { type Fate, type PlannedPull, rivalries } from './plan.js';
import type { KillsWorld } from './world.js';

export interface EndedRun {
  readonly world: KillsWorld;
  /** The repository. */
  readonly name: string;
  readonly pulls: readonly PlannedPull[];
  readonly numbers: ReadonlyMap<string, number>;
  /** The commits that the CI tested to the end. */
  readonly tested: readonly string[];
  readonly checks: readonly string[];
}

interface EndedPull extends PlannedPull {
  readonly pr: number;
  /** As the queue answers it. */
  readonly state: string;
  readonly receipt: Receipt | null;
}

/** The violations at the end of a run, one sentence each. */
export const judge = async (run: EndedRun): Promise<readonly string[]> => {
  const { calls, faults } = run.world;
  const receipts = await calls.receipts();
  const pulls: EndedPull[] = [];
  for (const pull of run.pulls) {
    const pr = run.numbers.get(pull.name) ?? 0;
    const receipt = receipts.find((each) => each.pr === pr) ?? null;
    pulls.push({ ...pull, pr, state: await calls.stateOf(pr), receipt });
  }
  return [
    ...faults.map((fault) => `A server ended by itself: ${fault}`),
    ...outcomes(pulls),
    ...(await history(run, receipts)),
    ...(await proofs(run, receipts)),
    ...(await marks(run, pulls)),
    ...(await contents(run, pulls)),
  ];
};

const expected: Readonly<Record<Fate, readonly string[]>> = {
  good: ['merged'],
  failing: ['failed'],
  // The queue may have been faster than the person.
  pushed: ['merged', 'cancelled'],
  closed: ['merged', 'cancelled'],
  rival: ['merged', 'failed', 'cancelled', 'not_ready'],
};

const outcomes = (pulls: readonly EndedPull[]): readonly string[] => {
  const faults = pulls
    .filter(({ fate, state }) => !expected[fate].includes(state))
    .map(({ name, pr, state }) => `${name} (#${pr}) ended as ${state}.`);
  for (const rivals of rivalries(pulls)) {
    const merged = pulls.filter((pull) => rivals.some(({ name }) => name === pull.name));
    const count = merged.filter(({ state }) => state === 'merged').length;
    if (count !== 1) faults.push(`Of ${rivals.map(({ name }) => name).join(' and ')}, ${count} merged.`);
  }
  for (const { name, pr, state, receipt } of pulls)
    if ((state === 'merged') !== (receipt !== null))
      faults.push(`${name} (#${pr}) is ${state}, and has ${receipt === null ? 'no' : 'a'} receipt.`);
  return faults;
};

/** Each tip of the target was tested and is green, is still in its history, and no commit of it holds what fails. */
const history = async (
  { world, name, tested, checks }: EndedRun,
  receipts: readonly Receipt[],
): Promise<readonly string[]> => {
  const bare = world.forge.bare(name);
  const lines = async (...args: readonly string[]) =>
    (await git(bare, ...args)).split('\n').filter((line) => line !== '');
  const faults: string[] = [];
  const commits = await lines('rev-list', '--first-parent', 'main');
  const first = commits.at(-1);
  const tips = new Set(await lines('reflog', 'show', '--format=%H', 'refs/heads/main'));
  for (const tip of [...tips].filter((each) => each !== first)) {
    if (!commits.includes(tip)) faults.push(`${tip} was the tip of main, and is not in its history.`);
    if (!tested.includes(tip)) faults.push(`${tip} landed, and its test never ended.`);
    const { statuses } = await world.forge.api('GET', `/repos/${TEAM}/${name}/commits/${tip}/status`);
    const passed = ((statuses ?? []) as readonly { readonly context: string; readonly status: string }[])
      .filter(({ status }) => status === 'success')
      .map(({ context }) => context);
    const missing = checks.filter((check) => !passed.includes(check));
    if (missing.length > 0) faults.push(`${tip} landed, and at the host ${missing.join(', ')} did not pass.`);
  }
  for (const commit of commits)
    if ((await git(bare, 'grep', '-l', BROKEN, commit).catch(() => '')) !== '')
      faults.push(`${commit} is on main, and its test fails.`);
  // By rebase a pull request has as many commits as were pushed; `mq-verify` finds those of no landing.
  if (receipts[0]?.mergeMethod !== 'rebase' && commits.length - 1 !== receipts.length)
    faults.push(
      `main has ${commits.length - 1} commits of landings, and there are ${receipts.length} receipts.`,
    );
  return faults;
};

/** As `mq-verify` does it. */
const proofs = async (
  { world, name }: EndedRun,
  receipts: readonly Receipt[],
): Promise<readonly string[]> => {
  const repository = world.forge.bare(name);
  const { faults, pastTheQueue } = await verifyLandings({ receipts, repository, branch: 'main' });
  return [...faults, ...pastTheQueue].map((fault) => `mq-verify: ${JSON.stringify(fault)}`);
};

/** Gitea shows as merged, by its commit, what landed, and nothing else. */
const marks = async ({ world, name }: EndedRun, pulls: readonly EndedPull[]): Promise<readonly string[]> => {
  const faults: string[] = [];
  for (const { name: pull, pr, receipt, fate } of pulls) {
    const shown = await world.forge.api('GET', `/repos/${TEAM}/${name}/pulls/${pr}`);
    const commit = receipt?.landed.commit ?? null;
    // Its author closed it between the push and the mark.
    if (fate === 'closed' && commit !== null && shown.state === 'closed' && shown.merged === false) continue;
    if (shown.merged !== (commit !== null) || (commit !== null && shown.merge_commit_sha !== commit))
      faults.push(
        `${pull} (#${pr}) landed as ${commit}; Gitea: ${shown.state}, merged ${shown.merged}, ${shown.merge_commit_sha}.`,
      );
  }
  return faults;
};

/** Nothing that landed was lost on the way to the present target. */
const contents = async (
  { world, name }: EndedRun,
  pulls: readonly EndedPull[],
): Promise<readonly string[]> => {
  const bare = world.forge.bare(name);
  const faults: string[] = [];
  for (const { name: pull, receipt, files } of pulls.filter((each) => each.receipt !== null))
    for (const [file, content] of Object.entries(files)) {
      const tree = `${receipt?.landed.tree}:${file}`;
      const [there, now] = await Promise.all(
        [tree, `main:${file}`].map((blob) => git(bare, 'cat-file', 'blob', blob).catch(() => null)),
      );
      if (there !== content || now !== content) faults.push(`${pull} landed, and ${file} is not on main.`);
    }
  return faults;
};
