import { z } from 'zod';
import {
  COMMENTS_PER_READ,
  type CommentPage,
  type HostAccount,
  type HostComment,
  type HostStatus,
  type PresenceHost,
} from '../ports/presence-host.js';
import { parseAnswer, prose, SHOWN_LABELS_LIMIT, SHOWN_WORDS_LIMIT_CHARS } from './parse-answer.js';

/** Longer comments are truncated with a mark. The queue itself writes none of this length. */
export const SHOWN_COMMENT_LIMIT_CHARS = 100_000;
/** Max length of an id that a host gives to a comment or an account. */
const HOST_ID_CHARS_LIMIT = 250;
const CURSOR_CHARS_LIMIT = 2_000;

const words = prose(SHOWN_WORDS_LIMIT_CHARS);
export const hostId = z.string().min(1).max(HOST_ID_CHARS_LIMIT);
export const hostAccount: z.ZodType<HostAccount> = z.object({ id: hostId, name: words, isBot: z.boolean() });
export const hostComment: z.ZodType<HostComment> = z.object({
  id: hostId,
  author: hostAccount,
  body: prose(SHOWN_COMMENT_LIMIT_CHARS),
  createdAt: z.number(),
  editedAt: z.number().nullable(),
});
const page: z.ZodType<CommentPage> = z.object({
  comments: z.array(hostComment).max(COMMENTS_PER_READ),
  next: z.string().max(CURSOR_CHARS_LIMIT).nullable(),
});
const commentOrNone = hostComment.nullable();
const statusOrNone: z.ZodType<HostStatus | null> = z
  .object({
    name: words,
    state: z.enum(['pending', 'success', 'failure', 'neutral']),
    description: words,
    url: z.string().nullable(),
  })
  .nullable();
const labels = z
  .array(z.string())
  .transform((all) => all.slice(0, SHOWN_LABELS_LIMIT))
  .pipe(z.array(words));

/** Wraps a host's presence so that every answer is validated and bounded, as `validatedHost` does. */
export const validatedPresence = (host: PresenceHost): PresenceHost => ({
  installationOf: (repo) => host.installationOf(repo),
  ownAccount: async (repo) => parseAnswer('ownAccount', hostAccount, await host.ownAccount(repo)),
  listComments: async (...asked) => parseAnswer('listComments', page, await host.listComments(...asked)),
  getComment: async (...asked) => parseAnswer('getComment', commentOrNone, await host.getComment(...asked)),
  createComment: async (...asked) =>
    parseAnswer('createComment', hostComment, await host.createComment(...asked)),
  editComment: async (...asked) =>
    parseAnswer('editComment', commentOrNone, await host.editComment(...asked)),
  removeComment: async (...asked) => host.removeComment(...asked),
  getStatus: async (...asked) => parseAnswer('getStatus', statusOrNone, await host.getStatus(...asked)),
  setStatus: async (...asked) => host.setStatus(...asked),
  getLabels: async (...asked) => parseAnswer('getLabels', labels, await host.getLabels(...asked)),
  changeLabels: async (...asked) => host.changeLabels(...asked),
});
