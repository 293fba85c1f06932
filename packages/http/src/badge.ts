import { createHash } from 'node:crypto';
import { type MergeQueue, type QueueStatus, statusOf } from '@mq/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Principal, requireRepository } from './auth.js';
import type { PublicReads } from './public-read.js';
import { queueRef } from './schemas/common.js';
import { valid } from './valid.js';

export const BADGE_MAX_AGE_SECONDS = 30;
export const BADGE_CONTENT_TYPE = 'image/svg+xml; charset=utf-8';
const SUFFIX = '.svg';
const LABEL = 'merge queue';

const { host, owner, name } = queueRef.repo.shape;
export const badgeRequest = z.object({ host, owner, name, branch: queueRef.targetBranch });

interface BadgeParts {
  readonly mq: MergeQueue;
  readonly publicReads: PublicReads;
  readonly principal: Principal;
}

/** Answers with the badge of a queue, or 304 if the client has the current one. */
export const sendBadge = async (
  { mq, publicReads, principal }: BadgeParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { branch: targetBranch, ...repo } = valid(badgeRequest, paramsIn(request));
  if (principal.isAnonymous === true) await publicReads.require({ repo, targetBranch });
  else requireRepository(mq, principal, repo);
  const { queue } = await mq.queueSnapshot({ repo, targetBranch });
  const svg = queue === null ? badge('unknown', null) : badge(statusOf(queue.queue), queue.enqueued);
  const tag = `"${createHash('sha256').update(svg).digest('base64url').slice(0, 22)}"`;
  reply.headers({
    etag: tag,
    'content-type': BADGE_CONTENT_TYPE,
    'cache-control': `${principal.isAnonymous === true ? 'public' : 'private'}, max-age=${BADGE_MAX_AGE_SECONDS}`,
    'cross-origin-resource-policy': 'cross-origin',
  });
  const ifNoneMatch = request.headers['if-none-match'] ?? '';
  if (ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === tag))
    return reply.code(304).send();
  return reply.send(svg);
};

/** Takes the branch from the last segment of the path. A segment without the suffix names no branch. */
const paramsIn = ({ params }: FastifyRequest): Readonly<Record<string, unknown>> => {
  const { branch = '', ...repo } = params as Readonly<Record<string, string>>;
  return { ...repo, branch: branch.endsWith(SUFFIX) ? branch.slice(0, -SUFFIX.length) : '' };
};

const colours = {
  running: '#2a7d3f',
  paused: '#a4401d',
  draining: '#8a6100',
  switching_modes: '#8a6100',
  unknown: '#5c6470',
} as const satisfies Record<QueueStatus | 'unknown', string>;

const CHARACTER_WIDTH = 6.6;
const PADDING = 7;

/** An SVG with two fields: the label, and the state with the number of queued pull requests. */
export const badge = (status: keyof typeof colours, enqueued: number | null): string => {
  const text = enqueued === null ? status : `${status.replace('_', ' ')}, ${enqueued} in line`;
  const [left, right] = [LABEL, text].map((one) => Math.ceil(one.length * CHARACTER_WIDTH) + 2 * PADDING) as [
    number,
    number,
  ];
  const width = left + right;
  const label = escaped(`${LABEL}: ${text}`);
  const field = (at: number, words: string) => `<text x="${at + PADDING}" y="14">${escaped(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}"><title>${label}</title><rect width="${left}" height="20" fill="#3b4252"/><rect x="${left}" width="${right}" height="20" fill="${colours[status]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${field(0, LABEL)}${field(left, text)}</g></svg>`;
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => entities[one] ?? one);
