import type { Flag, Schemas } from '../../command.js';
import { requireRepo } from '../../target-of-command.js';

export interface WebhookOptions {
  readonly description?: string;
  readonly format?: Schemas['WebhookFormat'];
  readonly type?: NonNullable<Schemas['CreateWebhookRequest']['types']>;
  readonly repository?: string;
  readonly ofBranch?: string;
}

export const webhookFlags: readonly Flag[] = [
  { flags: '--description <text>', description: 'what it is for' },
  { flags: '--format <format>', description: 'the format of the deliveries', choices: ['standard', 'slack'] },
  {
    flags: '--type <type>',
    description: 'an event type to deliver, all by default; may be given several times',
    isList: true,
  },
  { flags: '--repository <repo>', description: 'only events of this repository, host/owner/name' },
  { flags: '--of-branch <branch>', description: 'only events of this target branch' },
];

/** The fields of a request that the options give. */
export const webhookFields = ({ description, format, type, repository, ofBranch }: WebhookOptions) => ({
  ...(description === undefined ? {} : { description }),
  ...(format === undefined ? {} : { format }),
  ...(type === undefined ? {} : { types: [...type] }),
  ...(repository === undefined ? {} : { repo: requireRepo(repository) }),
  ...(ofBranch === undefined ? {} : { targetBranch: ofBranch }),
});

export const webhookState = ({ disabled, failingSince }: Schemas['Webhook']): string => {
  if (disabled !== null) return `disabled (${disabled.reason.replaceAll('_', ' ')})`;
  return failingSince === null ? 'enabled' : 'failing';
};

/** The secret is shown alone on the last line, so that a program can read it from there. */
export const createdWebhookText = (webhook: Schemas['CreatedWebhook']): string => {
  const line = `Webhook ${webhook.webhookId} to ${webhook.url}: ${webhookState(webhook)}.`;
  return webhook.secret === null ? line : `${line} Its secret is shown once:\n${webhook.secret}`;
};
