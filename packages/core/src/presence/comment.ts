import { prOf, timeOf } from '../explain/phrases.js';
import type { Instant, QueueId } from '../model/ids.js';
import { nextStepsOtherwise } from '../model/next-steps.js';
import type { AttemptStory, StoryEvent } from '../model/story.js';
import type { SubmissionState } from '../model/submission.js';
import { filledIn } from '../model/waits.js';
import { COMMENT_CHARS_LIMIT } from '../ports/presence-host.js';
import { escapeCode, escapeText } from './escape.js';
import type { PresenceFacts } from './facts.js';
import { markerText } from './marker.js';

/** Max events in the folded list: the newest ones. */
export const SHOWN_EVENTS_LIMIT = 20;

export interface CommentParts {
  readonly queueId: QueueId;
  readonly branch: string;
  readonly facts: PresenceFacts;
  /** Newest attempt first. */
  readonly stories: readonly AttemptStory[];
  /** The page of the pull request; null if the service has no address. */
  readonly link: string | null;
  readonly version: number;
  /** When the text was generated. It is shown only while the text depends on the rest of the queue, i.e. before the end. */
  readonly at: Instant;
}

/** The text of the presence comment, which is edited in place: state and reason, what to do, link, newest events. */
export const commentOf = (parts: CommentParts): string => {
  const { queueId, version, facts, stories } = parts;
  const marker = markerText({ kind: 'presence', queueId, version });
  const head = [headlineOf(parts), remedyOf(facts.remedy ?? stepOf(parts)), footer(parts)];
  const events = stories.toReversed().flatMap((story) => story.events);
  for (let count = Math.min(events.length, SHOWN_EVENTS_LIMIT); count >= 0; count -= 1) {
    const text = [...head, foldedOf(events, count), marker].filter((part) => part !== '').join('\n\n');
    if (text.length <= COMMENT_CHARS_LIMIT) return text;
  }
  return marker;
};

/** The text of a notice about the end of an attempt: a new comment, because an edit notifies no subscribers. */
export const noticeOf = (
  { queueId, branch, facts, link }: Pick<CommentParts, 'queueId' | 'branch' | 'facts' | 'link'>,
  story: AttemptStory,
): string => {
  const { attempt, state } = story;
  const end = state === 'failed' ? 'failed' : 'was cancelled';
  return [
    `**#${facts.pr} ${end} in the merge queue of ${escapeCode(branch)}.** ${escapeText(story.sentence)}`,
    remedyOf(story.remedy),
    linked(link, 'Details are on its page'),
    markerText({ kind: 'notice', queueId, attempt }),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
};

/** What to do after the end; null if there is nothing to do. */
const stepOf = (parts: CommentParts): string | null => {
  const remedy = storyOf(parts)?.remedy ?? null;
  return remedy === filledIn(nextStepsOtherwise.merged, { it: prOf(parts.facts.pr) }) ? null : remedy;
};

const storyOf = ({ stories, facts }: CommentParts): AttemptStory | undefined =>
  stories.find(({ attempt }) => attempt === facts.attempt);

const headlineOf = (parts: CommentParts): string => {
  const { facts, branch } = parts;
  const state = facts.isNext ? 'is next in' : states[facts.state];
  const why = facts.isEnded ? (storyOf(parts)?.sentence ?? facts.sentence) : facts.sentence;
  return `**#${facts.pr} ${state} the merge queue of ${escapeCode(branch)}.** ${escapeText(why)}`.trimEnd();
};

/** Each is followed by the name of the queue. */
const states = {
  not_ready: 'is not ready for',
  pending: 'is waiting in',
  testing: 'is being tested in',
  tests_passed: 'has passed its tests in',
  pending_failure: 'has failing tests in',
  merged: 'was merged by',
  failed: 'failed in',
  cancelled: 'was cancelled in',
} as const satisfies Record<SubmissionState, string>;

const remedyOf = (remedy: string | null): string =>
  remedy === null || remedy === '' ? '' : `**What to do:** ${escapeText(remedy)}`;

/** Links to the page for what changes without an update of the comment, such as the position. */
const footer = ({ link, facts, at }: CommentParts): string => {
  const page = linked(link, facts.isEnded ? 'Details are on its page' : 'Its position is on its page');
  const written = facts.isEnded ? '' : `Written at ${timeOf(at)}.`;
  return [page, written].filter((part) => part !== '').join(' ');
};

const linked = (link: string | null, words: string): string => {
  if (link === null) return '';
  const [before, after] = [words.slice(0, -'its page'.length), 'its page'];
  return `${before}[${after}](${link}).`;
};

const foldedOf = (events: readonly StoryEvent[], count: number): string => {
  if (count === 0) return '';
  const lines = events.slice(-count).map(({ at, sentence }) => `- ${timeOf(at)}: ${escapeText(sentence)}`);
  const title = count === 1 ? 'The last event' : `The last ${count} events`;
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`;
};
