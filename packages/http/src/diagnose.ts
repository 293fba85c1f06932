import {
  diagnoseToken,
  diagnoseWebhook,
  type Finding,
  type Holder,
  PAGE_LIMIT,
  TOKENS_PER_MAKER_LIMIT,
  type TokenKeeper,
  WEBHOOKS_PER_TOKEN_LIMIT,
  worstFirst,
} from '@mq/core';
import type { z } from 'zod';
import { ownRepositories } from './auth.js';
import type { Ask } from './operation.js';
import { isoTime } from './present/time.js';
import { presentPrincipal } from './present/tokens.js';
import type * as schemas from './schemas/diagnose.js';

/** Diagnosis by the program that serves the API: its version, and findings about its disk, database and so on. */
export interface ServiceDiagnosis {
  readonly version: string;
  /** A rejection is reported as a finding. With `repair`, first repairs what the findings call repairable. */
  findings(options: { readonly repair: boolean }): Promise<readonly Finding[]>;
}

type Request = z.output<typeof schemas.diagnoseRequest>;

/** Answers every valid token with the version, the time and its rights; findings need the scope `admin`. */
export const diagnose = async ({
  mq,
  body,
  principal,
  service,
  webhooks,
  tokens,
}: Ask<Request>): Promise<z.output<typeof schemas.diagnosis>> => {
  const general = {
    version: service?.version ?? null,
    time: isoTime(Date.now()),
    token: presentPrincipal(principal),
  };
  if (!principal.scopes.has('admin')) return { ...general, findings: null, queues: null, isComplete: true };
  const { repair = false, ...where } = body;
  // A token limited to repositories must not see findings about the whole service.
  const ofService = principal.repositories === undefined ? await serviceFindings(service, repair) : [];
  const { findings, queues, isComplete } = await mq.diagnose({ ...ownRepositories(mq, principal), ...where });
  const ofToken = await tokenFindings({ webhooks, tokens, principal });
  return {
    ...general,
    findings: worstFirst([...ofService, ...ofToken, ...findings]),
    queues,
    isComplete,
  };
};

/**
 * Findings about what the token has made and may manage: the newest `WEBHOOKS_PER_TOKEN_LIMIT` webhooks with the scope
 * `webhooks`, and the limits of webhooks and, with the scope `tokens`, of tokens.
 */
const tokenFindings = async ({
  webhooks,
  tokens,
  principal: { holder, scopes, name },
}: Pick<Ask<unknown>, 'webhooks' | 'tokens' | 'principal'>): Promise<readonly Finding[]> => {
  if (holder === undefined) return [];
  const take = WEBHOOKS_PER_TOKEN_LIMIT;
  const hooks = scopes.has('webhooks') ? ((await webhooks?.list(holder, { take }))?.items ?? null) : null;
  const valid = tokens !== null && scopes.has('tokens') ? await countValidTokens(tokens, holder) : null;
  const limits = diagnoseToken(name, {
    webhooks: hooks === null ? null : { count: hooks.length, limit: WEBHOOKS_PER_TOKEN_LIMIT },
    tokens: valid === null ? null : { count: valid, limit: TOKENS_PER_MAKER_LIMIT },
  });
  const ofWebhooks = (hooks ?? []).flatMap(({ webhook, progress }) =>
    diagnoseWebhook(webhook, progress, Date.now()),
  );
  return [...ofWebhooks, ...limits];
};

/** Those that its family has made, itself or through others. */
const countValidTokens = async (tokens: TokenKeeper, holder: Holder): Promise<number> => {
  let [count, cursor] = [0, undefined as string | undefined];
  do {
    const at = cursor === undefined ? {} : { cursor };
    const { items, next } = await tokens.list(holder, { take: PAGE_LIMIT, ...at });
    count += items.filter(({ state }) => state === 'active').length;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return count;
};

const serviceFindings = async (
  service: ServiceDiagnosis | null,
  repair: boolean,
): Promise<readonly Finding[]> => {
  if (service === null) return [];
  try {
    return await service.findings({ repair });
  } catch (error) {
    return [
      {
        code: 'DIAGNOSIS_FAILED',
        severity: 'error',
        subject: 'service',
        sentence: `The service could not be examined: ${error instanceof Error ? error.message : String(error)}`,
        remedy: 'Read the log of the service.',
      },
    ];
  }
};
