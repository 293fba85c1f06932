import { HostError, type RepoRef } from '@mq/core';
import { CANDIDATE_BRANCHES } from '@mq/host-git';
import type { z } from 'zod';
import type { GiteaApi } from './api.js';
import type { GiteaFindingCode } from './findings.js';
import { branchRulesShape, hooksShape, protectionsShape, repositoryRulesShape } from './shapes.js';

/** The webhook events that a queue needs. */
export const HOOK_EVENTS = [
  'push',
  'create',
  'delete',
  'pull_request',
  'pull_request_sync',
  'pull_request_label',
  'pull_request_comment',
  'status',
] as const;
const CLOCK_LIMIT_MS = 5_000;
/** The resolution of the header `Date`. */
const SECOND_MS = 1_000;
/** An example of a candidate branch, without `refs/heads/`. */
const SOME_CANDIDATE = `${CANDIDATE_BRANCHES.replace('refs/heads/', '')}/pr-1/some-test-run`;

export interface ExaminedRepository {
  readonly repo: RepoRef;
  /** The target branches of the repository's queues. */
  readonly branches: readonly string[];
  /** When its last webhook was accepted; null if none was since the server started. */
  readonly hookedAt: number | null;
}

export interface GiteaFinding {
  readonly code: GiteaFindingCode;
  /** `owner/name`, `owner/name branch`, or empty for the host itself. */
  readonly subject: string;
  readonly sentence: string;
  /** True if `repair` can fix it. */
  readonly isRepairable?: boolean;
}

/** The webhook that should call this server. */
export interface WantedHook {
  /** The path that its address ends with. */
  readonly path: string;
  /** Null if the server does not know its public address. */
  readonly url: string | null;
  readonly secret: () => string;
}

export interface ExamineParts {
  readonly api: GiteaApi;
  readonly now: () => number;
  /** Null if the server accepts no webhooks. */
  readonly wantedHook: WantedHook | null;
}

/** Examines a host and repositories on it, without changes. A fault of one repository does not hide others. */
export const examine = async (
  parts: ExamineParts,
  repositories: readonly ExaminedRepository[],
): Promise<readonly GiteaFinding[]> => {
  const ofHost = await unlessFaulty('', () => examineHost(parts));
  if (ofHost.some(({ code }) => hostWideFailures.has(code))) return ofHost;
  const found = await Promise.all(
    repositories.map((each) => unlessFaulty(nameOf(each.repo), () => examineRepository(parts, each))),
  );
  return [...ofHost, ...found.flat()];
};

/** Findings about the host that would recur for each repository, so the repositories are not examined. */
const hostWideFailures: ReadonlySet<GiteaFindingCode> = new Set(['HOST_UNREACHABLE', 'HOST_TOKEN_REFUSED']);

const nameOf = ({ owner, name }: RepoRef): string => `${owner}/${name}`;

const unlessFaulty = async (
  subject: string,
  look: () => Promise<readonly GiteaFinding[]>,
): Promise<readonly GiteaFinding[]> => {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const code =
      error.reach === 'access'
        ? 'HOST_TOKEN_REFUSED'
        : error.reach === 'repository'
          ? 'HOST_REPOSITORY_GONE'
          : 'HOST_UNREACHABLE';
    return [{ code, subject, sentence: error.message }];
  }
};

const examineHost = async ({ api, now, wantedHook }: ExamineParts): Promise<readonly GiteaFinding[]> => {
  const found: GiteaFinding[] = [];
  const askedAt = now();
  const { date } = await api.call('/version', { statuses: [403, 404], isUrgent: true });
  const shownAt = Date.parse(date ?? '');
  const behindMs = askedAt - (shownAt + SECOND_MS);
  const aheadMs = shownAt - now();
  if (Math.max(behindMs, aheadMs) > CLOCK_LIMIT_MS)
    found.push({
      code: 'HOST_CLOCK_DIFFERS',
      subject: '',
      sentence: `The clock of the host is ${Math.round(Math.max(behindMs, aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the server.`,
    });
  if (wantedHook === null)
    found.push({ code: 'HOST_WEBHOOK_UNSET', subject: '', sentence: 'Webhooks are not accepted.' });
  return found;
};

const examineRepository = async (
  parts: ExamineParts,
  examined: ExaminedRepository,
): Promise<readonly GiteaFinding[]> => {
  const { api } = parts;
  const { repo, branches } = examined;
  const subject = nameOf(repo);
  const path = `/repos/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.name)}`;
  const shown = await api.get(path, repositoryRulesShape, { isUrgent: true });
  if (shown === null)
    return [{ code: 'HOST_REPOSITORY_GONE', subject, sentence: 'The host answers 404 for it.' }];
  const found: GiteaFinding[] = [];
  const status = shown.permissions.push ? await api.pushStatus(subject) : 403;
  if (status !== 200)
    found.push({
      code: 'HOST_WRITE_REFUSED',
      subject,
      sentence: shown.permissions.push
        ? `The account may write, but git answers ${status} to a push with its token.`
        : 'The account of the token has no write access.',
    });
  if (!shown.allow_manual_merge)
    found.push({
      ...{ code: 'HOST_MARKS_OFF', subject, sentence: 'allow_manual_merge is off.' },
      isRepairable: shown.permissions.admin,
    });
  if (!(await mayDiscuss(api, path)))
    found.push({
      ...{ code: 'HOST_PRESENCE_REFUSED', subject },
      sentence: 'The token lacks a scope for the discussions of pull requests, or for its own account.',
    });
  if (!shown.permissions.admin)
    found.push({
      ...{ code: 'HOST_COMMANDS_REFUSED', subject },
      sentence: 'The account of the token does not administer the repository.',
    });
  const rules = shown.permissions.admin
    ? await api.get(`${path}/branch_protections`, protectionsShape)
    : null;
  for (const rule of rules ?? [])
    if (!rule.enable_push && matches(rule.rule_name, SOME_CANDIDATE))
      found.push({
        code: 'HOST_CANDIDATES_REFUSED',
        subject,
        sentence: `The rule "${rule.rule_name}" refuses pushes to ${SOME_CANDIDATE}.`,
      });
  for (const branch of branches)
    found.push(...(await examineBranch(parts, path, subject, branch, rules ?? [])));
  return [...found, ...(await examineHook(parts, path, examined, shown.permissions.admin))];
};

/** Whether the scopes of the token suffice. It asks for a reaction to a comment that cannot exist, which changes nothing. */
const mayDiscuss = async (api: GiteaApi, path: string): Promise<boolean> => {
  const reaction = { method: 'POST', body: { content: '+1' }, statuses: [403, 404] } as const;
  const answers = await Promise.all([
    api.call(`${path}/issues/comments/0/reactions`, reaction),
    api.call('/user', { statuses: [403] }),
  ]);
  return answers.every(({ status }) => status !== 403);
};

const examineBranch = async (
  { api }: ExamineParts,
  path: string,
  repository: string,
  branch: string,
  rules: readonly { readonly rule_name: string; readonly require_signed_commits: boolean }[],
): Promise<readonly GiteaFinding[]> => {
  const shown = await api.get(`${path}/branches/${encodeURIComponent(branch)}`, branchRulesShape);
  if (shown === null) return [];
  const subject = `${repository} ${branch}`;
  const { protected: isProtected, effective_branch_protection_name: name } = shown;
  const rule = isProtected ? `The rule "${name === '' ? branch : name}"` : 'Something';
  const found: GiteaFinding[] = [];
  if (!shown.user_can_push)
    found.push({ code: 'HOST_PUSH_REFUSED', subject, sentence: `${rule} does not let the account push.` });
  if (!shown.user_can_merge)
    found.push({ code: 'HOST_MARKS_REFUSED', subject, sentence: `${rule} does not let the account merge.` });
  if (rules.some((each) => each.rule_name === name && each.require_signed_commits))
    found.push({ code: 'HOST_SIGNATURE_REQUIRED', subject, sentence: `${rule} requires signed commits.` });
  return found;
};

/** Only administrators of a repository can list its webhooks. Without that right, only received webhooks count. */
const examineHook = async (
  { api, wantedHook }: ExamineParts,
  path: string,
  { repo, hookedAt }: ExaminedRepository,
  isAdmin: boolean,
): Promise<readonly GiteaFinding[]> => {
  const subject = nameOf(repo);
  if (wantedHook === null) return [];
  const silent: GiteaFinding = {
    code: 'HOST_WEBHOOK_SILENT',
    subject,
    sentence: 'None of its webhooks has arrived since the server started.',
  };
  const hooks = isAdmin ? await api.get(`${path}/hooks?limit=50`, hooksShape) : null;
  if (hooks === null) return hookedAt === null ? [silent] : [];
  const { path: end, url } = wantedHook;
  const hook = hookOf(hooks, wantedHook);
  // Webhooks of the organisation or of the whole host are not listed here, so a received webhook is enough.
  if (hook === null) {
    if (hookedAt !== null) return [];
    const sentence = `No active webhook points to ${end}.`;
    return [{ code: 'HOST_WEBHOOK_MISSING', subject, sentence, isRepairable: url !== null }];
  }
  const missing = HOOK_EVENTS.filter((event) => !hook.events.includes(event));
  if (missing.length > 0) {
    const sentence = `The webhook does not send ${missing.join(', ')}.`;
    return [{ code: 'HOST_WEBHOOK_EVENTS', subject, sentence, isRepairable: true }];
  }
  return hookedAt === null ? [silent] : [];
};

/** The active webhook that calls this server; null if there is none. */
export const hookOf = (hooks: z.output<typeof hooksShape>, { path }: WantedHook) =>
  hooks.find(({ active, config }) => active && pathOf(config.url).endsWith(path)) ?? null;

const pathOf = (address: string): string => {
  try {
    return new URL(address).pathname;
  } catch {
    return '';
  }
};

/** Matches the pattern of a protection rule: `*` is any text without a slash, `**` any text. */
const matches = (pattern: string, branch: string): boolean =>
  new RegExp(
    `^${pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*|\*|\?/g, (sign) => (sign === '**' ? '.*' : sign === '*' ? '[^/]*' : '[^/]'))}$`,
  ).test(branch);
