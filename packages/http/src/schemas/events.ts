import { z } from 'zod';
import { eventTypes } from '../present/events.js';
import { line, NAME_CHARS_LIMIT, orDigits, prNumber, targetBranch } from './common.js';
import { repository } from './metrics.js';
import { VERSION_CHARS_LIMIT } from './snapshot.js';

/** Longer than the cursor of a stream over the max number of queues. */
const EVENT_ID_CHARS_LIMIT = 12_000;
const TYPES_CHARS_LIMIT = 1_000;

/** Max time for which events are held back to send them together. */
const REST_MS_LIMIT = 10_000;

const types = line(TYPES_CHARS_LIMIT)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(eventTypes)));

export const lastEventId = line(EVENT_ID_CHARS_LIMIT);

export const eventsQuery = {
  repo: repository
    .exactOptional()
    .describe('Repository as owner/name, together with repoHost. Default: all.'),
  repoHost: line(NAME_CHARS_LIMIT).exactOptional().describe('Host of the repository.'),
  targetBranch: targetBranch.exactOptional(),
  pr: prNumber.exactOptional().describe('Only events of this pull request. Needs repo and targetBranch.'),
  types: types
    .exactOptional()
    .describe(`Only events of these types, separated by commas: ${eventTypes.join(', ')}.`),
  after: lastEventId
    .exactOptional()
    .describe('The id of the last received event. The header Last-Event-ID wins over it.'),
  restMs: orDigits(5, z.int().min(0).max(REST_MS_LIMIT))
    .exactOptional()
    .describe('Events are sent together, at most once in this time. Default: at once.'),
  shownRepo: repository
    .exactOptional()
    .describe(
      'A queue whose snapshot is sent too, as the event `queue_snapshot`: the answer of getQueueSnapshot, and after that what has changed, at most once per second. As owner/name, together with shownRepoHost and shownBranch.',
    ),
  shownRepoHost: line(NAME_CHARS_LIMIT).exactOptional().describe('Host of its repository.'),
  shownBranch: targetBranch.exactOptional().describe('Its target branch.'),
  shownVersion: line(VERSION_CHARS_LIMIT)
    .exactOptional()
    .describe(
      'The `version` of the snapshot that the client has. Default: the whole snapshot is sent first.',
    ),
};

export const eventsRequest = z
  .object(eventsQuery)
  .refine(({ repo, repoHost }) => (repo === undefined) === (repoHost === undefined), {
    message: 'repo and repoHost must be given together',
    path: ['repo'],
  })
  .refine(
    ({ repo, targetBranch: branch, pr }) => pr === undefined || (repo !== undefined && branch !== undefined),
    { message: 'needs repo, repoHost and targetBranch', path: ['pr'] },
  )
  .refine(
    ({ shownRepo, shownRepoHost, shownBranch, shownVersion }) =>
      [shownRepo, shownRepoHost, shownBranch].every((one) => one !== undefined) ||
      [shownRepo, shownRepoHost, shownBranch, shownVersion].every((one) => one === undefined),
    { message: 'shownRepo, shownRepoHost and shownBranch must be given together', path: ['shownRepo'] },
  );
