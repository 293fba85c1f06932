import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TestRunId } from '../model/ids.js';
import { type RepoRef, repoKey } from '../model/repo.js';

/** The rights of a report token: one check of one test run, in the name of one reporter. */
export interface ReportGrant {
  readonly testRunId: TestRunId;
  readonly reporter: string;
  /** The token that it was given to, and ends with; null if none was named. */
  readonly issuer: string | null;
  covers(of: { readonly repo: RepoRef; readonly testRunId: TestRunId; readonly check: string }): boolean;
}

export const REPORT_TOKEN_PREFIX = 'mqr_';
const SEPARATOR = '\n';

/**
 * Report tokens contain their rights, signed. None is stored, and every replica with the same secret accepts them. They
 * end with the test run, because reports for a closed one are refused.
 */
export class ReportTokens {
  constructor(private readonly secret: string) {}

  make(of: {
    readonly repo: RepoRef;
    readonly testRunId: TestRunId;
    readonly check: string;
    readonly reporter: string;
    readonly issuer: string | null;
  }): string {
    const claims = [of.testRunId, checkDigest(of.repo, of.check), of.reporter, of.issuer ?? ''].join(
      SEPARATOR,
    );
    return `${REPORT_TOKEN_PREFIX}${Buffer.from(claims).toString('base64url')}.${this.#signature(claims)}`;
  }

  /** Null if the text is not a report token of this service. */
  read(token: string): ReportGrant | null {
    const [encoded = '', signature = '', ...more] = token.startsWith(REPORT_TOKEN_PREFIX)
      ? token.slice(REPORT_TOKEN_PREFIX.length).split('.')
      : [];
    const claims = Buffer.from(encoded, 'base64url').toString();
    if (more.length > 0 || !isEqual(signature, this.#signature(claims))) return null;
    const [testRunId = '', digest = '', reporter = '', issuer = ''] = claims.split(SEPARATOR);
    return {
      testRunId: testRunId as TestRunId,
      reporter,
      issuer: issuer === '' ? null : issuer,
      covers: (of) => of.testRunId === testRunId && checkDigest(of.repo, of.check) === digest,
    };
  }

  #signature(claims: string): string {
    return createHmac('sha256', this.secret).update(claims).digest('base64url');
  }
}

/** A digest of fixed length, so that the token is short for any names. */
const checkDigest = (repo: RepoRef, check: string): string =>
  createHash('sha256')
    .update(`${repoKey(repo)}${SEPARATOR}${check}`)
    .digest('base64url');

const isEqual = (given: string, right: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};
