import type { Sha, TestRunId } from '@mq/core';

/** The digits of an id that differ within one world, for traces. */
export const short = (id: TestRunId | Sha): string =>
  id.slice(-4) === '0000' ? id.slice(0, 8) : `${id.slice(0, 4)}${id.slice(-4)}`;
