import { MergeQueueError } from '@mq/core';
import { StoreProblem } from './store-problem.js';

/**
 * SQLSTATE classes of a database that cannot serve now: connection, credentials, unknown database, repeated rollbacks,
 * no resources, ended by an operator, system error, and 25006 (standby). Also what an operator may have removed while
 * running: the schema (3F), a table (42P01), a right (42501).
 */
const notNow = /^(08|28|3D|3F|40|53|57|58)...$|^(25006|42501|42P01)$/;

/** Whether the database could not serve, so that a retry may succeed. Any other error is a bug. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof MergeQueueError || error instanceof TypeError || error instanceof RangeError)
    return false;
  // Errors reported by the database have a severity. Without one, the connection failed.
  const said = typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;
  return !said || notNow.test(String(error.code));
};

/** Rejects with STORE_UNREACHABLE for an outage, and with the original error otherwise. */
export const served = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  try {
    return await ask();
  } catch (error) {
    throw isOutage(error) ? outage(error) : error;
  }
};

const outage = (cause: unknown): MergeQueueError =>
  new MergeQueueError(
    'STORE_UNREACHABLE',
    cause instanceof StoreProblem ? cause.message : 'The database does not respond.',
    [],
    { cause },
  );
