import { MergeQueueError } from '@mq/core';
import { StoreProblem } from './store-problem.js';

/**
 * Classes of SQLSTATE by which a database says that it cannot serve now: connection, credentials, no such database, rolled
 * back for others again and again, no resources, ended by an operator, system error; and 25006, a standby. What is there from the
 * start on may be taken away by an operator, as where the schema is renamed: the schema (3F), a table (42P01), a right (42501).
 */
const notNow = /^(08|28|3D|3F|40|53|57|58)...$|^(25006|42501|42P01)$/;

/** Whether the database did not serve, so that the same may well go through later; anything else is a fault of ours. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof MergeQueueError || error instanceof TypeError || error instanceof RangeError)
    return false;
  // What has a severity was said by the database; without one, it is the way to it that failed.
  const said = typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;
  return !said || notNow.test(String(error.code));
};

/** What the database does not serve is told as an outage; every other fault as it is. */
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
    cause instanceof StoreProblem ? cause.message : 'The database does not answer.',
    [],
    { cause },
  );
