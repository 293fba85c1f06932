import { type Finding, type WebhookFindingCode, webhookFindings } from '../model/finding.js';
import type { Instant } from '../model/ids.js';
import type { Webhook, WebhookProgress, WebhookStop } from '../model/webhook.js';
import { durationOf } from './phrases.js';

/** Why nothing is delivered, where its owner did not disable it. */
const stops: Readonly<Record<Exclude<WebhookStop, 'owner'>, string>> = {
  failing: 'no delivery has succeeded for days',
  gone: 'its receiver answered 410 Gone',
  token_ended: 'the token that made it was revoked or has expired',
  secret_unreadable: 'its signing secret cannot be decrypted with the key of this server',
};

/** What is wrong with a webhook; the sentence names the host only, because the path of an address may be a secret. */
export const diagnoseWebhook = (
  { id, url, disabled }: Pick<Webhook, 'id' | 'url' | 'disabled'>,
  { failingSince, lastFailure, lastSuccessAt }: Omit<WebhookProgress, 'cursor'>,
  now: Instant,
): readonly Finding[] => {
  const finding = (code: WebhookFindingCode, sentence: string): readonly Finding[] => {
    const { severity, remedy } = webhookFindings[code];
    return [{ code, severity, subject: `webhook ${id}`, sentence, remedy: remedy.replace('<id>', id) }];
  };
  const ago = (at: Instant): string => `${durationOf(Math.max(0, now - at))} ago`;
  const { host } = new URL(url);
  const last = lastSuccessAt === null ? 'nothing was ever delivered' : `last success ${ago(lastSuccessAt)}`;
  if (disabled !== null)
    return disabled.reason === 'owner'
      ? []
      : finding('WEBHOOK_STOPPED', `Stopped ${ago(disabled.at)} (${host}): ${stops[disabled.reason]}.`);
  if (failingSince === null) return [];
  const why = lastFailure === null ? '' : `: ${lastFailure}`;
  return finding(
    'WEBHOOK_FAILING',
    `Deliveries to ${host} began to fail ${ago(failingSince)} (${last})${why}.`,
  );
};
