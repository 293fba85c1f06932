import type { FindingKind } from '@mq/core';

/** The kinds of findings about a host and its repositories, by code. */
export const giteaFindings = {
  HOST_UNREACHABLE: {
    severity: 'error',
    meaning: 'A configured code host does not answer.',
    remedy:
      'Check the host, and its address in the configuration. Its queues wait and continue by themselves.',
  },
  HOST_TOKEN_REFUSED: {
    severity: 'error',
    meaning: 'A configured code host refuses the token.',
    remedy: 'Put a valid token into the file or variable that the configuration names; it is used at once.',
  },
  HOST_REPOSITORY_GONE: {
    severity: 'error',
    meaning: 'The repository of a queue is not at its host under that name, or the token may not see it.',
    remedy: 'Use the current name of the repository, or give the account of the token access to it.',
  },
  HOST_OWNER_NOT_SERVED: {
    severity: 'warning',
    meaning:
      'Webhooks arrive from owners that the configuration of the code host does not list, or such an owner has a queue.',
    remedy:
      'Add the owner to `owners` of the host in the configuration and restart the server, or remove the webhook and the queue.',
  },
  HOST_WRITE_REFUSED: {
    severity: 'error',
    meaning: 'The token of a code host may not push to the repository.',
    remedy: 'Give the account write access to the repository, and its token the scope write:repository.',
  },
  HOST_PUSH_REFUSED: {
    severity: 'error',
    meaning: 'The protection of a target branch refuses the pushes by which the queue lands.',
    remedy: 'Allow the account of the queue to push in the protection rule of the branch.',
  },
  HOST_SIGNATURE_REQUIRED: {
    severity: 'error',
    meaning: 'The protection of a target branch requires signed commits, and the queue signs none.',
    remedy: 'Do not require signed commits in the protection rule of the branch.',
  },
  HOST_CANDIDATES_REFUSED: {
    severity: 'error',
    meaning: 'A protection rule covers the branches on which the queue tests.',
    remedy: 'Leave mq/* unprotected, or allow the account of the queue to push and to force-push there.',
  },
  HOST_MARKS_OFF: {
    severity: 'warning',
    meaning: 'The repository does not allow marking pull requests as merged: they merge and stay open.',
    remedy: 'Switch on allow_manual_merge: Settings, Repository, Pull Requests, Allow manual merges.',
  },
  HOST_MARKS_REFUSED: {
    severity: 'warning',
    meaning:
      'The account may not mark pull requests of the target branch as merged: they merge and stay open.',
    remedy: 'Allow the account of the queue to merge in the protection rule of the branch.',
  },
  HOST_PRESENCE_REFUSED: {
    severity: 'warning',
    meaning: 'The token may not write to pull requests: they show nothing of the queue and take no commands.',
    remedy: 'Give the token the scopes write:issue and read:user besides write:repository.',
  },
  HOST_COMMANDS_REFUSED: {
    severity: 'warning',
    meaning:
      'The account cannot read the roles of people in the repository, so the queue refuses their commands.',
    remedy:
      'Make the account an administrator of the repository, or set commandsEnabled and labelCommandsEnabled to false.',
  },
  HOST_WEBHOOK_MISSING: {
    severity: 'warning',
    meaning: 'No webhook of the repository points to this server: changes are found by polling.',
    remedy: 'Add a webhook: docs/how-to/gitea.md names the address, the secret and the events.',
  },
  HOST_WEBHOOK_EVENTS: {
    severity: 'warning',
    meaning: 'The webhook of the repository does not send every event that the queue uses.',
    remedy: 'Add the events that the sentence names to the webhook.',
  },
  HOST_WEBHOOK_REFUSED: {
    severity: 'warning',
    meaning: 'Webhooks of a code host arrive and are refused: their signature is missing or wrong.',
    remedy: 'Compare the secret of the webhook with the one that the configuration names.',
  },
  HOST_WEBHOOK_SILENT: {
    severity: 'info',
    meaning: 'No webhook of the repository has arrived since the server started.',
    remedy:
      'Press "Test Delivery" at the webhook. If nothing arrives, check its address and ALLOWED_HOST_LIST of the host.',
  },
  HOST_WEBHOOK_UNSET: {
    severity: 'info',
    meaning: 'No secret for webhooks is configured for a code host: changes are found by polling.',
    remedy: 'Set webhookSecretFile, and add a webhook to the repository: docs/how-to/gitea.md.',
  },
  HOST_CLOCK_DIFFERS: {
    severity: 'warning',
    meaning:
      'The clocks of the server and of a code host differ: results of tests may count as older than their test.',
    remedy: 'Synchronise both clocks (NTP).',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
export type GiteaFindingCode = keyof typeof giteaFindings;
