import { runIdOf, shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { Agenda } from '../../world/agenda.js';
import { NOTHING } from '../verdicts.js';
import { Ci } from './ci.js';

test('of two tests cancelled at one instant, the waiting one does not get the runner of the other', () => {
  const agenda = new Agenda<() => boolean>();
  const tookMs: number[] = [];
  let begun = 0;
  const ci = new Ci(1, {
    begins: () => {
      begun += 1;
      return true;
    },
    stops: (ms) => tookMs.push(ms),
    at: (time, then) => agenda.put(time, then),
  });
  const job = { names: ['build'], durationMs: 60_000, content: NOTHING };
  for (const place of [1, 2]) ci.start({ ...job, runId: runIdOf(place), commit: shaOf(place) }, 0);

  for (const place of [1, 2]) ci.cancel(runIdOf(place), shaOf(place), 1_000);
  while (agenda.nextAt <= 60_000) agenda.take()?.();

  expect([begun, tookMs]).toEqual([1, [1_000]]);
  expect([1, 2].flatMap((place) => ci.checksOf(shaOf(place)))).toEqual([]);
});
