import { z } from 'zod';
import { permissions } from '../model/host-command.js';
import type {
  CommandHost,
  LabelEvent,
  PullRequestComment,
  PullRequestOrigin,
} from '../ports/command-host.js';
import { COMMENTS_PER_READ } from '../ports/presence-host.js';
import { parseAnswer, prose, SHOWN_WORDS_LIMIT_CHARS } from './parse-answer.js';
import { hostAccount, hostComment, hostId } from './presence-answers.js';

const pr = z.int().min(1);
export const commentOfPull = z.object({ pr, comment: hostComment });
export const labelEvent = z.object({
  id: hostId,
  pr,
  label: prose(SHOWN_WORDS_LIMIT_CHARS),
  change: z.enum(['added', 'removed']),
  actor: hostAccount,
  at: z.number(),
});
const comments: z.ZodType<readonly PullRequestComment[]> = z.array(commentOfPull).max(COMMENTS_PER_READ);
const labelEvents: z.ZodType<readonly LabelEvent[]> = z.array(labelEvent).max(COMMENTS_PER_READ);
const permission = z.enum(permissions);
const origin: z.ZodType<PullRequestOrigin | null> = z
  .object({ author: hostAccount.nullable(), pushedAt: z.number().nullable() })
  .nullable();

/** Wraps the commands of a host so that every answer is validated and bounded, as `validatedHost` does. */
export const validatedCommands = (host: CommandHost): CommandHost => ({
  ownAccount: async (repo) => parseAnswer('ownAccount', hostAccount, await host.ownAccount(repo)),
  createComment: async (...asked) =>
    parseAnswer('createComment', hostComment, await host.createComment(...asked)),
  commentsSince: async (...asked) =>
    parseAnswer('commentsSince', comments, await host.commentsSince(...asked)),
  labelEventsSince: async (...asked) =>
    parseAnswer('labelEventsSince', labelEvents, await host.labelEventsSince(...asked)),
  permissionOf: async (...asked) =>
    parseAnswer('permissionOf', permission, await host.permissionOf(...asked)),
  originOf: async (...asked) => parseAnswer('originOf', origin, await host.originOf(...asked)),
  react: async (...asked) => host.react(...asked),
});
