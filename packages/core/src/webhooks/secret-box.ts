import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
export const SECRET_KEY_BYTES = 32;
const [NONCE_BYTES, TAG_BYTES] = [12, 16];
/** The version of the format. */
const PREFIX = 'v1:';

/** Encrypts texts with AES-256-GCM for storage. Each is bound to a context, so that it cannot be moved to another row. */
export class SecretBox {
  /** Throws a RangeError unless the key has `SECRET_KEY_BYTES`. */
  constructor(private readonly key: Uint8Array) {
    if (key.length !== SECRET_KEY_BYTES)
      throw new RangeError(`the key has ${key.length} bytes; it must have ${SECRET_KEY_BYTES}.`);
  }

  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return PREFIX + sealed.toString('base64');
  }

  /** Null if it was sealed with another key or for another context, or was changed since. */
  open(sealed: string, context: string): string | null {
    const bytes = Buffer.from(sealed.startsWith(PREFIX) ? sealed.slice(PREFIX.length) : '', 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(-TAG_BYTES)];
    try {
      const decipher = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}

/** The context of the signing secrets of a webhook. */
export const secretContext = (webhookId: string): string => `webhook secret\n${webhookId}`;
/** The context of the body of a delivery. */
export const bodyContext = (deliveryId: string): string => `delivery body\n${deliveryId}`;
