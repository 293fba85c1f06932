import { DAYS, type Spread, type UsualDurations } from '../usual-durations.js';
import type { Style } from './style.js';
import { duration } from './time.js';
import { wrapped } from './width.js';

const spreadText = ({ medianMs, p95Ms }: Spread): string =>
  `median ${duration(medianMs)}, P95 ${duration(p95Ms)}`;

/** How long tests and merges usually take, in one line; none if nothing is known. */
export const durationLines = (usual: UsualDurations | null, style: Style): readonly string[] => {
  const { testRun = null, timeToMerge = null } = usual ?? {};
  const tests =
    testRun === null ? [] : [`Tests: ${spreadText(testRun)} (last ${testRun.count} that passed).`];
  const merges =
    timeToMerge === null
      ? []
      : [`Time to merge: ${spreadText(timeToMerge)} (${timeToMerge.count} merged in ${DAYS} days).`];
  const line = [...tests, ...merges].join(' ');
  return line === '' ? [] : [wrapped(line, style.width, '  ')];
};
