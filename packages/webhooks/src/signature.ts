import { Webhook } from 'standardwebhooks';

/** The headers of the Standard Webhooks specification, and the same values under the names of Svix. */
export const signedHeaders = (message: {
  readonly id: string;
  readonly at: number;
  readonly body: string;
  /** Each `whsec_…`; more than one during a rotation. */
  readonly secrets: readonly string[];
}): Readonly<Record<string, string>> => {
  const { id, body, secrets } = message;
  const at = new Date(Math.floor(message.at / 1_000) * 1_000);
  const values = {
    id,
    timestamp: String(at.getTime() / 1_000),
    signature: secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
  return Object.fromEntries(
    ['webhook', 'svix'].flatMap((prefix) =>
      Object.entries(values).map(([name, value]) => [`${prefix}-${name}`, value]),
    ),
  );
};
