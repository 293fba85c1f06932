import { diagnoseWebhook, type Finding, WEBHOOKS_PER_TOKEN_LIMIT, worstFirst } from '@mq/core';
import type { z } from 'zod';
import { ownRepositories } from './auth.js';
import type { Ask } from './operation.js';
import { isoTime } from './present/time.js';
import { presentPrincipal } from './present/tokens.js';
import type * as schemas from './schemas/diagnose.js';

/** Diagnosis by the program that serves the interface: its version, and findings about its disk, database and so on. */
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
  const ofWebhooks = await webhookFindings({ webhooks, principal });
  return {
    ...general,
    findings: worstFirst([...ofService, ...ofWebhooks, ...findings]),
    queues,
    isComplete,
  };
};

/** Findings about the webhooks that the token may manage: the newest `WEBHOOKS_PER_TOKEN_LIMIT`. */
const webhookFindings = async ({
  webhooks,
  principal: { holder, scopes },
}: Pick<Ask<unknown>, 'webhooks' | 'principal'>): Promise<readonly Finding[]> => {
  if (webhooks === null || holder === undefined || !scopes.has('webhooks')) return [];
  const { items } = await webhooks.list(holder, { take: WEBHOOKS_PER_TOKEN_LIMIT });
  return items.flatMap(({ webhook, progress }) => diagnoseWebhook(webhook, progress, Date.now()));
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
