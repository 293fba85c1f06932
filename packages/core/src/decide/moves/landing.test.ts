import { runIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aBatchRun, aDraft, aLanding, aPassed, aQuietQueue, aRunOn } from '../../../test/rules.js';
import { isLandedBy } from './landing.js';

test('a landing depends on its combined candidate and on the runs that prove its members, and on no other run', () => {
  const [, proof] = aPassed([1]);
  const composed = aBatchRun([1], [], {
    id: runIdOf(70),
    purpose: { kind: 'compose', vouchers: [proof.id] },
  });
  const [member] = aLanding(proof).members;
  const landing = aLanding(composed, { members: member === undefined ? [] : [member] });
  const draft = aDraft({ queue: aQuietQueue({}, { landing }) });

  expect([composed, proof, aRunOn([2])].map((run) => isLandedBy(draft, run))).toEqual([true, true, false]);
});
