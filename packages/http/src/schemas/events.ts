import { z } from 'zod';
import { eventTypes } from '../present/events.js';
import { line, NAME_CHARS_LIMIT, prNumber, targetBranch } from './common.js';
import { repository } from './metrics.js';

/** Longer than the cursor of a stream over the max number of queues. */
const EVENT_ID_CHARS_LIMIT = 12_000;
const TYPES_CHARS_LIMIT = 1_000;

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
  );
