import { repoPathPattern } from '@mq/core';
import { z } from 'zod';
import { line, NAME_CHARS_LIMIT, repoName, repoOwner } from './common.js';

/** `owner/name`; the owner may contain slashes. */
export const repository = line(2 * NAME_CHARS_LIMIT + 1)
  .refine((text) => /^.+\/[^/]+$/.test(text), 'must be owner/name')
  .meta({ pattern: repoPathPattern(NAME_CHARS_LIMIT) })
  .transform((text) => {
    const at = text.lastIndexOf('/');
    return { owner: text.slice(0, at), name: text.slice(at + 1) };
  })
  .pipe(z.object({ owner: repoOwner, name: repoName }));

/** The schema of each query parameter. */
export const metricsQuery = {
  repo: repository
    .exactOptional()
    .describe('Repository as owner/name, together with repoHost. Default: all.'),
  repoHost: line(NAME_CHARS_LIMIT).exactOptional().describe('Host of the repository.'),
};

export const metricsRequest = z
  .object(metricsQuery)
  .refine(({ repo, repoHost }) => repo === undefined || repoHost !== undefined, {
    message: 'is required if repo is given',
    path: ['repoHost'],
  })
  .refine(({ repo, repoHost }) => repoHost === undefined || repo !== undefined, {
    message: 'is required if repoHost is given',
    path: ['repo'],
  });

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
