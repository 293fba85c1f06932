import type { WebhookFormat } from '@mq/core';

/** An event as it is named outside. Its fields are flat and in snake case. */
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly queueId: string;
  readonly sequence: number;
  readonly pr_number?: number;
  readonly pr_numbers?: readonly number[];
  readonly [field: string]: unknown;
}

/** Max length of a body. Fields that do not fit are left out. */
export const BODY_LIMIT_BYTES = 20_000;

/** Never left out. */
const essential: ReadonlySet<string> = new Set([
  'type',
  'timestamp',
  'queueId',
  'sequence',
  'repository',
  'target_branch',
  'action',
  'status',
  'pr_number',
  'http_details_url',
  'test_run_id',
  'test_branch_sha',
]);

export const bodyOf = (event: WebhookEvent, format: WebhookFormat): string =>
  format === 'slack' ? JSON.stringify({ text: slackText(event) }) : boundedJson(event);

/** Leaves out the longest fields until the rest fits, and names them in `omitted`. */
const boundedJson = (event: WebhookEvent): string => {
  const omitted: string[] = [];
  let left: Readonly<Record<string, unknown>> = event;
  for (;;) {
    const text = JSON.stringify(omitted.length === 0 ? left : { ...left, omitted });
    if (Buffer.byteLength(text) <= BODY_LIMIT_BYTES) return text;
    const [longest] = Object.entries(left)
      .filter(([name]) => !essential.has(name))
      .map(([name, value]) => ({ name, bytes: Buffer.byteLength(JSON.stringify(value) ?? '') }))
      .sort((one, other) => other.bytes - one.bytes);
    if (longest === undefined) return text;
    omitted.push(longest.name);
    left = Object.fromEntries(Object.entries(left).filter(([name]) => name !== longest.name));
  }
};

const SLACK_CHARS_LIMIT = 1_000;

const words: Readonly<Record<string, string>> = {
  submitted: 'was submitted to',
  queued: 'is queued for',
  testing: 'is being tested for',
  merged: 'was merged into',
  failed: 'failed for',
  canceled: 'was removed from the queue of',
  pending_failure: 'failed together for',
};

/** One line with a link. */
const slackText = (event: WebhookEvent): string => {
  const { type, pr_number: pr, pr_numbers: prs, http_details_url: url, title } = event;
  const where = `${repositoryName(event)} ${text(event.target_branch)}`.trim();
  const because = text(event.failure_reason ?? event.cancellation_reason ?? event.reason);
  if (type === 'alarm') return lineOf(`Alarm in ${where}: ${text(event.sentence)}`);
  if (pr === undefined && prs === undefined) return lineOf(`The queue of ${where} was changed`);
  const verb = words[type.slice(type.indexOf('.') + 1)] ?? type;
  const name = `#${pr ?? prs?.join(', #')}${title === undefined ? '' : ` ${text(title)}`}`.slice(0, 300);
  const subject =
    typeof url === 'string' ? `<${escaped(url).replaceAll('|', '%7C')}|${escaped(name)}>` : escaped(name);
  return `${subject} ${lineOf(`${verb} ${where}${because === '' ? '' : ` (${because})`}`)}`;
};

const repositoryName = ({ repository }: WebhookEvent): string => {
  const { owner, name } = (repository ?? {}) as { readonly owner?: string; readonly name?: string };
  return owner === undefined ? '' : `${owner}/${name}`;
};

const text = (value: unknown): string => (typeof value === 'string' ? value.replace(/\s+/g, ' ') : '');

const lineOf = (words: string): string => escaped(words.slice(0, SLACK_CHARS_LIMIT));

/** As Slack asks for it. */
const escaped = (line: string): string =>
  line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦');
