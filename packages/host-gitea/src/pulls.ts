import {
  HostError,
  type HostPullRequest,
  isReadable,
  type MergeMethod,
  type PullRequestAnswer,
  type Sha,
} from '@mq/core';
import type { Mergeable, Mirror } from '@mq/host-git';
import { answersOrElse, isPullNumber } from '@mq/host-git';
import type { GiteaApi } from './api.js';
import { type GiteaPerson, type GiteaPull, pullShape, pullsShape } from './shapes.js';

export const PAGE_SIZE = 50;
/** Max pull requests that are read one by one; more are first searched in the list of open ones. */
const SINGLE_READS_LIMIT = 4;
/** Max pages of that list. Pull requests that are not found there are read one by one. */
const LISTED_PAGES_LIMIT = 10;
/** Max pages of pull requests, per state, that are searched for a head branch. */
const SEARCHED_PAGES_LIMIT = 20;
const ADDRESS_LIMIT_CHARS = 500;
const DRAFT_PREFIX = /^(?:WIP:|\[WIP\])\s*/i;

const notAsked: Mergeable = { mergeability: 'unspecified', mergeabilityReason: null, conflicts: false };
const not = (mergeabilityReason: string): Mergeable => ({
  ...{ mergeability: 'not_mergeable', mergeabilityReason, conflicts: false },
});

/** A pull request as the host returns it, or why this one is unreadable although the host works. */
export type Found = GiteaPull | { readonly number: number; readonly unreadable: string };

/** The pull requests of one repository. */
export class Pulls {
  constructor(
    private readonly api: GiteaApi,
    /** `/repos/{owner}/{name}` */
    private readonly path: string,
    private readonly mirror: Pick<Mirror, 'tip' | 'ensure' | 'mergeability'>,
  ) {}

  /** Reads pull requests by number. Missing ones are left out. */
  async read(numbers: readonly number[], isUrgent: boolean): Promise<readonly Found[]> {
    const wanted = new Set(numbers.filter(isPullNumber));
    const listed = wanted.size > SINGLE_READS_LIMIT ? await this.#listed(wanted, isUrgent) : new Map();
    const singles = await Promise.all(
      [...wanted].filter((number) => !listed.has(number)).map((number) => this.#single(number, isUrgent)),
    );
    return [...listed.values(), ...singles.flatMap((found) => found ?? [])];
  }

  /** The newest pull request of this repository with this head branch, open ones first. */
  async findByBranch(branch: string): Promise<number | null> {
    for (const state of ['open', 'closed'])
      for (let page = 1; page <= SEARCHED_PAGES_LIMIT; page += 1) {
        const pulls = await this.#page(`state=${state}&sort=oldest_desc`, page, true);
        const numbers = pulls
          .filter(({ head, base }) => head.ref === branch && head.repo_id === base.repo_id)
          .map(({ number }) => number);
        if (numbers.length > 0) return Math.max(...numbers);
        if (pulls.length < PAGE_SIZE) break;
      }
    return null;
  }

  /** Converts pull requests for the port, with the mergeability unless `method` is null. */
  async answers(
    found: readonly Found[],
    merging: MergeMethod | null,
    isUrgent: boolean,
  ): Promise<readonly PullRequestAnswer[]> {
    const shown = found.map((each): PullRequestAnswer => describe(each));
    const open = shown.filter(isReadable).filter(({ state }) => state === 'open');
    if (merging === null || open.length === 0) return shown;
    const tips = new Map<string, Sha | null>();
    for (const { base } of open) if (!tips.has(base)) tips.set(base, await this.mirror.tip(base));
    const unavailable = await this.mirror.ensure([
      ...[...tips.values()].flatMap((commit) => (commit === null ? [] : [{ commit, pr: null }])),
      ...open.map(({ head, number }) => ({ commit: head, pr: number })),
    ]);
    return answersOrElse(
      shown,
      async (pull): Promise<PullRequestAnswer> => {
        if (!isReadable(pull) || pull.state !== 'open') return pull;
        const { number, head, base } = pull;
        const gone = unavailable.get(head);
        if (gone?.kind === 'damaged')
          return { number, fault: { code: 'PULL_REQUEST_UNREADABLE', message: gone.message } };
        if (gone?.kind === 'failed') throw gone.error;
        const baseTip = tips.get(base) ?? null;
        if (baseTip === null) return { ...pull, ...not(`${base} does not exist.`) };
        // The host shows the head of a fork a moment before it has copied the commits.
        if (gone !== undefined) return { ...pull, mergeability: 'in_progress' };
        if (unavailable.has(baseTip))
          throw new HostError(`The tip ${baseTip} of ${base} cannot be fetched from the host.`, 'later');
        const question = { method: merging, base, baseTip, head };
        return { ...pull, ...(await this.mirror.mergeability(question, isUrgent)) };
      },
      (pull) => pull,
    );
  }

  async #listed(wanted: ReadonlySet<number>, isUrgent: boolean): Promise<Map<number, GiteaPull>> {
    const found = new Map<number, GiteaPull>();
    for (let page = 1; page <= LISTED_PAGES_LIMIT && found.size < wanted.size; page += 1) {
      const pulls = await this.#page('state=open&sort=recentupdate', page, isUrgent).catch(() => []);
      for (const pull of pulls) if (wanted.has(pull.number)) found.set(pull.number, pull);
      if (pulls.length < PAGE_SIZE) break;
    }
    return found;
  }

  async #page(query: string, page: number, isUrgent: boolean): Promise<readonly GiteaPull[]> {
    const path = `${this.path}/pulls?${query}&limit=${PAGE_SIZE}&page=${page}`;
    return (await this.api.get(path, pullsShape, { isUrgent })) ?? [];
  }

  /** Null if it does not exist. */
  async #single(number: number, isUrgent: boolean): Promise<Found | null> {
    const path = `${this.path}/pulls/${number}`;
    const { status, value } = await this.api.call(path, { statuses: [404, 500], isUrgent });
    if (status === 404) return null;
    const read = status === 500 ? null : pullShape.safeParse(value);
    if (read?.success === true && (read.data.head.sha !== null || read.data.state === 'closed'))
      return read.data;
    await this.#expectAnswer();
    const message = `The host answers for the repository, and not for #${number} (${status}).`;
    return { number, unreadable: message };
  }

  /** Throws if the host does not answer for the repository, because the fault is then not one of the pull request. */
  async #expectAnswer(): Promise<void> {
    if ((await this.#page('state=all', 1, false).catch(() => null)) !== null) return;
    const { status } = await this.api.call(this.path, { statuses: [404, 500] });
    if (status !== 200) throw new HostError(`The host answered ${this.path} with ${status}.`, 'later');
  }
}

/** The name, with the address unless the host may hide that from others. Nothing for a deleted account. */
const identityOf = (person: GiteaPerson | null | undefined): Pick<HostPullRequest, 'authorIdentity'> => {
  const name = oneLine(person?.full_name ?? '') || oneLine(person?.login ?? '');
  if (!person || person.id < 1 || name === '') return {};
  const address = oneLine(person.email);
  const isShown =
    !person.active && /^[^\s@]+@[^\s@]+$/.test(address) && address.length <= ADDRESS_LIMIT_CHARS;
  return { authorIdentity: isShown ? `${name} <${address}>` : name };
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const oneLine = (text: string): string => text.replace(/[<>\u0000-\u001f\u007f]+/g, ' ').trim();

/** Converts a pull request for the port, without the mergeability of an open one. */
export const describe = (found: Found): PullRequestAnswer => {
  if ('unreadable' in found)
    return { number: found.number, fault: { code: 'PULL_REQUEST_UNREADABLE', message: found.unreadable } };
  const { head, base, merged, merge_commit_sha: commit, draft, number } = found;
  const state: HostPullRequest['state'] = merged ? 'merged' : found.state;
  const isGone = head.ref === '' || head.ref.startsWith('refs/');
  const sha = head.sha;
  if (sha === null)
    return { number, fault: { code: 'PULL_REQUEST_UNREADABLE', message: 'The host names no head commit.' } };
  return {
    number,
    title: draft ? found.title.replace(DRAFT_PREFIX, '') : found.title,
    body: found.body,
    author: found.user?.login ?? '',
    ...identityOf(found.user),
    url: found.html_url,
    head: sha,
    headBranch: isGone ? null : head.ref,
    base: base.ref,
    state,
    merged: merged ? { branch: base.ref, commit } : null,
    draft,
    fork: head.repo_id !== base.repo_id,
    labels: found.labels.map(({ name }) => name),
    ...(state === 'merged' ? not('It is merged.') : state === 'closed' ? not('It is closed.') : notAsked),
  };
};
