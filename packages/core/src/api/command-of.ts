import { z } from 'zod';
import type { Cancel, Configure, RestartTests, Submit } from '../model/input.js';
import { PRIORITY_MAX } from '../model/priority.js';
import type { BranchRules } from '../model/queue.js';
import { type QueueSettings, queueSettings } from '../model/settings.js';
import { type envelopeOf, fields } from '../validation/request-schemas.js';
import type {
  PullRequestRef,
  QueueChange,
  SubmitRequest,
  UpdateQueueRequest,
} from '../validation/requests.js';
import type { AskedForSubmit } from './hosts.js';

export type CommandEnvelope = ReturnType<typeof envelopeOf>;

/** The schemas of requests that become commands. */
export const requestSchemas = {
  change: z.strictObject(fields.change),
  update: z.strictObject(fields.update),
  onQueue: z.strictObject(fields.command),
  onPullRequest: z.strictObject({ ...fields.command, pr: fields.pr }),
  submission: z.strictObject({
    ...fields.command,
    pr: fields.pr,
    sha: fields.sha,
    priority: z.int().min(0).max(PRIORITY_MAX).nullable().optional(),
    skipTheLine: z.boolean().optional(),
    noBatch: z.boolean().optional(),
    forceEnqueued: z.boolean().optional(),
  }),
};

export const configureOf = (
  request: UpdateQueueRequest,
  envelope: CommandEnvelope,
  rules: BranchRules | null,
): Configure => ({
  ...envelope,
  type: 'configure',
  settings: settingsOf(request),
  wanted: request.state ?? null,
  stateReason: request.stateReason ?? null,
  cancelPending: request.cancelPending ?? null,
  requiredStatusesSource: request.requiredStatusesSource ?? null,
  allowNoRequiredStatuses: request.allowNoRequiredStatuses === true,
  ...(rules === null ? {} : { rules }),
  ...(request.ifSettings === undefined ? {} : { ifSettings: request.ifSettings }),
});

export const cancelOf = ({ pr }: PullRequestRef, envelope: CommandEnvelope): Cancel => ({
  ...envelope,
  type: 'cancel',
  pr,
});

export const restartOf = ({ pr }: PullRequestRef, envelope: CommandEnvelope): RestartTests => ({
  ...envelope,
  type: 'restart_tests',
  pr,
});

/** The settings in a request. */
export const settingsOf = (request: QueueChange): Partial<QueueSettings> => {
  const named = Object.keys(queueSettings.shape).filter((name) => Object.hasOwn(request, name));
  const settings = Object.fromEntries(named.map((name) => [name, Reflect.get(request, name)]));
  return request.deleteRequiredStatuses === true ? { ...settings, requiredStatuses: null } : settings;
};

// Fields are set one by one because this is on the path of every submit: spreading many optional parts takes microseconds.
export const submitOf = (
  request: SubmitRequest,
  { id, digest, actor }: CommandEnvelope,
  { pull, fault, rules }: AskedForSubmit,
): Submit => {
  const { sha = null, priority, skipTheLine, noBatch, forceEnqueued } = request;
  const command: { -readonly [Name in keyof Submit]: Submit[Name] } = {
    id,
    digest,
    actor,
    type: 'submit',
    pull,
    expectedHead: sha,
  };
  if (fault !== null) command.fault = fault;
  if (rules !== null) command.rules = rules;
  if (priority !== undefined) command.priority = priority;
  if (skipTheLine !== undefined) command.skipTheLine = skipTheLine;
  if (noBatch !== undefined) command.noBatch = noBatch;
  if (forceEnqueued !== undefined) command.forceEnqueued = forceEnqueued;
  return command;
};
