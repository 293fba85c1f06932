import { REPORT_TOKEN_PREFIX } from '@mq/core';
import type { Evidence } from './evidence.js';

const REPORT_TOKEN = new RegExp(`${REPORT_TOKEN_PREFIX}[\\w-]{16,}\\.[\\w-]{16,}`);

/** Checks that no report token is in stored rows, logs or answers: it is only for the reporter of its check. */
export const secretFaults = ({ history, receipts, runs, submissions, said }: Evidence): readonly string[] => {
  const places = {
    ...{ 'The history': history, 'A receipt': receipts, 'A log line or an error': said },
    ...{ 'A test run': [...runs.values()], 'A submission': submissions },
  };
  return Object.entries(places).flatMap(([place, all]) => {
    const [token] = REPORT_TOKEN.exec(JSON.stringify(all)) ?? [];
    return token === undefined ? [] : [`${place} contains the report token ${token}.`];
  });
};
