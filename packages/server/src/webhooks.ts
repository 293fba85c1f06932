import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Logger,
  type MergeQueue,
  type Queue,
  SECRET_KEY_BYTES,
  type WebhookKeeper,
  webhookKeeper,
} from '@mq/core';
import { webhookEventsOf } from '@mq/http';
import { pageAddress } from '@mq/page';
import { type TryOutcome, urlFault, type WebhookSender, webhookSender } from '@mq/webhooks';
import type { ServerConfig } from './config.js';
import { codeOf, StartProblem } from './problem.js';
import { sharedSecret } from './shared-secret.js';
import type { OpenStore } from './store.js';

/** Encrypts the secrets of webhooks; shared by the servers of the data folder. */
const KEY_FILE = 'webhook-key';

export interface ServedWebhooks {
  readonly keeper: WebhookKeeper;
  readonly sender: WebhookSender;
}

export const servedWebhooks = (parts: {
  readonly config: ServerConfig;
  readonly opened: Pick<OpenStore, 'webhooks' | 'serviceStore'>;
  readonly mq: MergeQueue;
  /** Where people reach the server. */
  readonly url: () => string;
  readonly logger: Logger;
  readonly onTried: (outcome: TryOutcome) => void;
}): ServedWebhooks => {
  const { config, mq, url, logger, onTried } = parts;
  const { webhooks: store, serviceStore } = parts.opened;
  const { keyFile, ...policy } = config.webhooks;
  const key =
    keyFile === undefined ? sharedSecret(join(config.dataFolder, KEY_FILE)) : readWebhookKey(keyFile);
  return {
    keeper: webhookKeeper({ store, mq, key, urlFault: (text) => urlFault(text, policy), logger }),
    sender: webhookSender({
      ...{ store, mq, key, policy, logger, onTried, tokens: serviceStore },
      eventsOf: webhookEventsOf,
      pageOf: (queue, pr) => `${url()}${pagePath(queue, pr)}`,
    }),
  };
};

/** The path of the page of a pull request. */
export const pagePath = ({ repo, branch }: Pick<Queue, 'repo' | 'branch'>, pr: number): string =>
  pageAddress({ ...repo, branch }, pr);

/** Throws a StartProblem unless the file holds a key: 32 bytes as base64, base64url or hexadecimal digits. */
export const readWebhookKey = (path: string): Buffer => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartProblem(
      `The file ${path} that webhooks.keyFile names cannot be read (${codeOf(error) ?? String(error)}).`,
      'Correct webhooks.keyFile, or make the file readable for the user that runs the server.',
      { cause: error },
    );
  }
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64url');
  if (key.length === SECRET_KEY_BYTES) return key;
  throw new StartProblem(
    `The file ${path} that webhooks.keyFile names holds no key of ${SECRET_KEY_BYTES} bytes.`,
    `Write one with: openssl rand -hex ${SECRET_KEY_BYTES}. With another key than before, the secrets of existing webhooks cannot be read.`,
  );
};
