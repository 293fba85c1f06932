import { type Finding, isNearLimit, type TokenFindingCode, tokenFindings } from '../model/finding.js';

/** A number of things, and how many there may be. */
export interface Count {
  readonly count: number;
  readonly limit: number;
}

/** Which limits of a token are near. `made` is null for what was not counted. */
export const diagnoseToken = (
  name: string,
  made: { readonly webhooks: Count | null; readonly tokens: Count | null },
): readonly Finding[] => {
  const near = (of: Count | null, code: TokenFindingCode, what: string, refusal: string): Finding[] => {
    if (of === null || !isNearLimit(of.count, of.limit)) return [];
    const { severity, remedy } = tokenFindings[code];
    const sentence = `${of.count} of ${of.limit} ${what}. Beyond that, another is refused with ${refusal}.`;
    return [{ code, severity, subject: `token ${name}`, sentence, remedy }];
  };
  return [
    ...near(made.webhooks, 'WEBHOOKS_NEAR_LIMIT', 'webhooks exist', 'WEBHOOKS_FULL'),
    ...near(made.tokens, 'TOKENS_NEAR_LIMIT', 'valid tokens exist that it has made', 'TOKENS_FULL'),
  ];
};
