import { BODY_LIMIT_BYTES, VALUES_LIMIT } from '@mq/http';
import { repo, targetBranch } from '../api-service.js';

/** Bodies of 20 MiB, by the number of their values. */
export const largeBodies = {
  none: null,
  '100,000 targets, accepted': (): Buffer => ofTargets(100_000),
  '250,000 values, parsed and refused': (): Buffer => ofTargets(VALUES_LIMIT - 20),
  '5 million values, refused while counting': (): Buffer => ofTargets(5_000_000),
} as const;

export type LargeBody = keyof typeof largeBodies;

const ofTargets = (count: number): Buffer => {
  const head = `${JSON.stringify({ repo, targetBranch, pr: { number: 1 } }).slice(0, -1)},"impactedTargets":[`;
  const tail = ']}';
  const room = Math.floor((BODY_LIMIT_BYTES - head.length - tail.length) / count) - '"",'.length;
  const target = (n: number): string => `"${String(n).slice(-room).padStart(room, 't')}"`;
  return Buffer.from(`${head}${Array.from({ length: count }, (_, n) => target(n)).join(',')}${tail}`);
};
