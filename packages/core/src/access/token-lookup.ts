import { MergeQueueError } from '../errors.js';
import type { Instant, TokenId } from '../model/ids.js';
import { type Token, tokenStateAt } from '../model/token.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type ServiceStore, USE_NOTED_EVERY_MS } from '../ports/service-store.js';
import { digestOfToken, isTokenText } from './token-text.js';

/** A revoked token is refused after at most this long and one read. */
export const LOOKUP_KEPT_MS = 500;
/** The timeout of the store. After it no request is served. */
export const LOOKUP_LIMIT_MS = 1_000;
/** Max cached look-ups; the oldest is evicted first. */
const LOOKUPS_KEPT_LIMIT = 1_000;

export interface LookupParts {
  readonly store: Pick<ServiceStore, 'findToken' | 'token' | 'noteTokenUse'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Lookup {
  /** By this process's clock, before the read began. */
  readonly at: Instant;
  readonly found: Promise<{ readonly token: Token; readonly now: Instant } | null>;
}

/**
 * Finds valid tokens by their text. Reads the store at most once per `LOOKUP_KEPT_MS` and token, so that a revocation on any
 * replica counts on all of them within a second.
 */
export class TokenLookup {
  readonly #kept = new Map<string, Lookup>();
  readonly #noted = new Map<string, Instant>();

  constructor(private readonly parts: LookupParts) {}

  /** Null for every token that is not valid now. Rejects with TOKENS_UNREADABLE where the store does not answer in time. */
  async find(text: string): Promise<Token | null> {
    if (!isTokenText(text)) return null;
    const digest = digestOfToken(text);
    const lookup = this.#lookUp(digest, () => this.parts.store.findToken(digest));
    const found = await lookup.found;
    if (found === null) return null;
    const now = found.now + Math.max(0, this.parts.clock.now() - lookup.at);
    if (tokenStateAt(found.token, now) !== 'active') return null;
    this.#noteUse(found.token, now);
    return found.token;
  }

  /** True for a token that was revoked, or is not on record any more. Rejects as `find` does. */
  async isRevoked(id: TokenId): Promise<boolean> {
    const lookup = this.#lookUp(`id ${id}`, async () => {
      const token = await this.parts.store.token(id);
      return token === null ? null : { token, now: token.createdAt };
    });
    const found = await lookup.found;
    return found === null || found.token.revoked !== null;
  }

  /** The next request with any token reads the store. */
  forget(): void {
    this.#kept.clear();
  }

  #lookUp(key: string, read: () => Lookup['found']): Lookup {
    const at = this.parts.clock.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && at >= kept.at && at - kept.at < LOOKUP_KEPT_MS) return kept;
    const lookup = { at, found: this.#inTime(read) };
    this.#kept.delete(key);
    this.#kept.set(key, lookup);
    lookup.found.then(
      (found) => {
        // Unknown tokens are not cached: clients may try any number of them, which would evict the others.
        if (found === null) this.#drop(key, lookup);
      },
      () => this.#drop(key, lookup),
    );
    for (const [oldest, { at: since }] of this.#kept) {
      if (this.#kept.size <= LOOKUPS_KEPT_LIMIT && at - since < LOOKUP_KEPT_MS) break;
      this.#kept.delete(oldest);
    }
    return lookup;
  }

  #drop(key: string, lookup: Lookup): void {
    if (this.#kept.get(key) === lookup) this.#kept.delete(key);
  }

  async #inTime(read: () => Lookup['found']): Lookup['found'] {
    const over = new AbortController();
    try {
      const late = this.parts.clock
        .wait(this.parts.clock.now() + LOOKUP_LIMIT_MS, over.signal)
        .then(() => 'late' as const);
      const found = await Promise.race([read(), late]);
      if (found === 'late') throw new Error(`the store took longer than ${LOOKUP_LIMIT_MS} ms`);
      return found;
    } catch (cause) {
      throw new MergeQueueError('TOKENS_UNREADABLE', 'Tokens cannot be checked now.', [], { cause });
    } finally {
      over.abort();
    }
  }

  /** Runs after the answer. If it fails, only the time of the last use is missing in a list. */
  #noteUse({ id, lastUsedAt }: Token, now: Instant): void {
    const last = Math.max(lastUsedAt ?? 0, this.#noted.get(id) ?? 0);
    if (now - last < USE_NOTED_EVERY_MS) return;
    this.#noted.set(id, now);
    for (const [oldest, at] of this.#noted) {
      if (this.#noted.size <= LOOKUPS_KEPT_LIMIT && now - at < USE_NOTED_EVERY_MS) break;
      this.#noted.delete(oldest);
    }
    this.parts.store.noteTokenUse(id, now).catch((error: unknown) => {
      this.parts.logger.warn({ error, tokenId: id }, 'the last use of a token could not be stored');
    });
  }
}
