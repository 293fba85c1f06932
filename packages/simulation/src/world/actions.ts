import type { Sha } from '@mq/core';
import type { Random } from '@mq/random';
import {
  contentPasses,
  type Edits,
  type FakePull,
  type FakeRepository,
  fileOf,
  type NewPullRequest,
} from '@mq/testkit';
import type { Truth } from '../oracle/truth.js';
import type { Weather } from '../weather.js';
import { branch, otherBranch } from './surroundings.js';
import type { Trace } from './trace.js';
import type { TriggeredFaults } from './triggered-faults.js';

export interface ActionParts {
  readonly trace: Trace;
  readonly random: Random;
  readonly weather: () => Weather;
  readonly repository: FakeRepository;
  readonly truth: Truth;
  readonly triggered: Pick<TriggeredFaults, 'pullRequest'>;
}

export interface Actions {
  /** Opens a pull request and returns its number. */
  open(): number;
  /** Restores the branch, the rules and the landings of the host. */
  restore(): void;
  /** Pushes a repair to each target branch whose content fails a check. */
  repair(): void;
  push(pr: number): void;
  forceHead(pr: number): void;
  close(pr: number): void;
  reopen(pr: number): void;
  toggleDraft(pr: number): void;
  retarget(pr: number): void;
  mergeByHand(pr: number): void;
  pushToTarget(pr: number): void;
  copyToTarget(pr: number): void;
  rewindTarget(pr: number): void;
  breakTarget(pr: number): void;
  deleteTarget(pr: number): void;
  deletePull(pr: number): void;
  setMergeability(pr: number): void;
  setRules(pr: number): void;
}

/** Actions of people at the code host, outside the queue. Each is recorded for the oracle. */
export const actionsOf = ({ trace, random, weather, repository, truth, triggered }: ActionParts): Actions => {
  const say = (what: string) => {
    trace.say('person', what);
    trace.tally(`interference: ${what.replaceAll(/ ?#?\d+.*/g, '')}`);
  };
  const open = (pr: number): FakePull | null => {
    const pull = repository.pulls.get(pr);
    return pull?.state === 'open' ? pull : null;
  };
  let lastTip: Sha | null = null;
  // Numbers are never reused, not even those of deleted pull requests.
  let lastNumber = 0;
  const tip = (): Sha | null => repository.branches.get(branch) ?? null;

  /** CI tests a head by itself, as a CI that runs on every push does. */
  const showHead = (number: number): void => {
    const head = repository.pulls.get(number)?.head;
    if (head === undefined) return;
    const { files } = repository.git.get(head);
    const { checks } = weather();
    const shown = checks.map((name) => [name, contentPasses(files, name) ? 'success' : 'failure'] as const);
    repository.reportHeadChecks(number, Object.fromEntries(shown));
  };

  return {
    open: () => {
      if (tip() === null && lastTip !== null) repository.restoreBranch(branch, lastTip);
      const numbers = [...repository.pulls.keys()];
      lastNumber += 1;
      const number = repository.openPullRequest({
        ...wantedPull(random, weather(), numbers),
        ...triggered.pullRequest(lastNumber),
        number: lastNumber,
      });
      say(`opens #${number}`);
      if (random.chance(weather().headRate)) showHead(number);
      return number;
    },
    restore: () => {
      if (tip() === null && lastTip !== null) repository.restoreBranch(branch, lastTip);
      repository.setRequiredChecks(branch, weather().checks);
      repository.landingRefusal = null;
      repository.rewritesLandings = false;
      for (const pull of repository.pulls.values())
        if (pull.mergeability !== null) repository.edit(pull.number, { mergeability: null });
    },
    repair: () => {
      for (const name of [branch, otherBranch]) {
        const head = repository.branches.get(name);
        const repaired = head === undefined ? {} : repairOf(repository.git.get(head).files, weather().checks);
        if (Object.keys(repaired).length === 0) continue;
        say(`repairs ${name}`);
        repository.pushTo(name, repaired);
      }
    },
    push: (pr) => {
      if (open(pr) === null) return;
      truth.did(pr, 'pushed');
      say(`pushes to #${pr}`);
      repository.push(pr);
      if (random.chance(weather().headRate)) showHead(pr);
    },
    forceHead: (pr) => {
      const pull = open(pr);
      if (pull === null) return;
      truth.did(pr, 'pushed');
      say(`forces the head of #${pr}`);
      const root = repository.git.firstParents(pull.head).at(-1);
      if (root === undefined) return;
      const files = { ...root.files, [fileOf(pr)]: `forced ${random.int(0, 1_000_000)}\n` };
      const { committedAt } = repository.git.get(pull.head);
      const commit = { files, parents: [root.sha], message: `Force ${pr}`, author: pull.author, committedAt };
      repository.edit(pr, { head: repository.git.commit({ ...commit, pr: null }).sha });
    },
    close: (pr) => {
      if (open(pr) === null) return;
      truth.did(pr, 'closed');
      say(`closes #${pr}`);
      repository.edit(pr, { state: 'closed' });
    },
    reopen: (pr) => {
      if (repository.pulls.get(pr)?.state !== 'closed') return;
      say(`reopens #${pr}`);
      repository.edit(pr, { state: 'open' });
    },
    toggleDraft: (pr) => {
      const pull = open(pr);
      if (pull === null) return;
      truth.did(pr, 'drafted');
      say(`${pull.draft ? 'readies' : 'drafts'} #${pr}`);
      repository.edit(pr, { draft: !pull.draft });
    },
    retarget: (pr) => {
      const pull = open(pr);
      if (pull === null) return;
      truth.did(pr, 'retargeted');
      say(`retargets #${pr}`);
      repository.edit(pr, { base: pull.base === branch ? otherBranch : branch });
    },
    mergeByHand: (pr) => {
      const pull = open(pr);
      const base = pull === null ? undefined : repository.branches.get(pull.base);
      if (pull === null || base === undefined) return;
      if (repository.git.isAncestor(pull.head, base)) return;
      if (repository.git.merge(base, pull.head).kind !== 'merged') return;
      truth.did(pr, 'merged by hand');
      say(`merges #${pr} by hand`);
      try {
        repository.mergeByHand(pr);
      } catch {
        // Already on the target, or in conflict: people cannot merge it either.
      }
    },
    pushToTarget: () => {
      if (tip() === null) return;
      say('pushes to the target');
      repository.pushTo(branch);
    },
    copyToTarget: (pr) => {
      const [pull, head] = [open(pr), tip()];
      if (pull === null || head === null) return;
      const merged = repository.git.merge(head, pull.head);
      if (merged.kind !== 'merged') return;
      const { files } = repository.git.get(head);
      const copied = Object.entries(merged.files).filter(([path, text]) => files[path] !== text);
      if (copied.length === 0) return;
      say(`copies #${pr} to the target`);
      repository.pushTo(branch, Object.fromEntries(copied));
    },
    rewindTarget: () => {
      const head = tip();
      if (head === null || repository.git.firstParents(head).length < 2) return;
      say('rewinds the target');
      repository.rewind(branch, 1);
    },
    breakTarget: () => {
      if (tip() === null) return;
      say('breaks the target');
      repository.pushTo(branch, { 'broken.txt': '!broken\n' });
    },
    deleteTarget: () => {
      const head = tip();
      if (head === null) {
        if (lastTip !== null) repository.restoreBranch(branch, lastTip);
        return;
      }
      lastTip = head;
      say('deletes the target');
      repository.deleteBranch(branch);
    },
    deletePull: (pr) => {
      if (!repository.pulls.has(pr)) return;
      truth.did(pr, 'deleted');
      say(`deletes #${pr}`);
      repository.deletePullRequest(pr);
    },
    setMergeability: (pr) => {
      if (open(pr) === null) return;
      truth.did(pr, 'unmergeable');
      const mergeability = random.pick([null, null, 'not_mergeable', 'in_progress', 'unspecified'] as const);
      say(`has #${pr} shown as ${mergeability}`);
      repository.edit(pr, { mergeability });
    },
    setRules: () => {
      const { checks } = weather();
      const names = random.pick([checks, checks.slice(0, 1), checks.slice(-1), [], null]);
      say(`rules ${names}`);
      repository.setRequiredChecks(branch, names);
    },
  };
};

/** Edits that remove all markers from files that fail a check. */
const repairOf = (files: Readonly<Record<string, string>>, checks: readonly string[]): Edits => {
  if (checks.every((name) => contentPasses(files, name))) return {};
  const marked = Object.keys(files).filter((path) =>
    /^!(broken|crashes|clashes|needs)/m.test(files[path] ?? ''),
  );
  return Object.fromEntries(marked.map((path) => [path, 'repaired\n']));
};

/** Good, broken, or good only with or only without another pull request. */
const wantedPull = (random: Random, { badRate }: Weather, numbers: readonly number[]): NewPullRequest => {
  if (!random.chance(badRate)) return {};
  if (numbers.length === 0 || random.chance(0.4)) return { broken: true };
  const other = random.pick(numbers);
  return random.pick<NewPullRequest>([
    { clashesWith: other },
    { conflictsWith: other },
    { needs: other },
    { fixes: other },
  ]);
};
