import type { Story } from '@mq/testkit';
import {
  type Claim,
  codeOf,
  contentUnderTest,
  isInRun,
  isLanding,
  isOver,
  type Observed,
  runsOf,
  statusOf,
  viewOf,
  waitsUntil,
} from './claims.js';

/** Waits that show only once a candidate is built, or after another try: they say nothing about the turn. */
const HELD_OTHERWISE = new Set(['conflict_ahead', 'change_ahead', 'retry', 'rebuild', 'machinery', 'batch']);

export const claimsOfPause = ({ q, pr, waiting }: Observed): readonly Claim[] =>
  /^Set the queue running/.test(waiting.remedy)
    ? [
        {
          name: 'a paused queue that is set running continues',
          pr,
          tried: async () => {
            await q.resumes();
            return codeOf(q, pr) === 'queue_paused' ? statusOf(q, pr) : null;
          },
        },
      ]
    : [];

export const claimsOfTurn = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  if (nearest.code !== 'turn') return [];
  const isTaken = async () =>
    isOver(q, pr) || (await isInRun(q, pr)) || HELD_OTHERWISE.has(codeOf(q, pr)) ? null : statusOf(q, pr);
  const goesPast = async (how: {
    readonly skipTheLine?: true;
    readonly priority?: number;
  }): Promise<string | null> => {
    const before = await placeOf(q, pr);
    await q.submit(pr, how);
    const isNext = /it is next/.test(viewOf(q, pr)?.waiting?.sentence ?? '');
    return isNext || (await placeOf(q, pr)) < before ? null : isTaken();
  };
  const isUrgencyNamed = /or set skipTheLine/.test(waiting.remedy);
  return [
    {
      name: 'a higher concurrency starts it sooner',
      pr,
      tried: async () => {
        await q.configures({ concurrency: 40 });
        const gatherer = /and #(\d+), whose batch is not due/.exec(waiting.remedy)?.[1];
        return gatherer === undefined ? isTaken() : null;
      },
    },
    {
      name: `skipTheLine ${isUrgencyNamed ? 'starts it sooner' : 'starts nothing if it is not suggested'}`,
      pr,
      tried: async () => {
        if (isUrgencyNamed) return goesPast({ skipTheLine: true });
        await q.submit(pr, { skipTheLine: true });
        return (await isInRun(q, pr)) ? statusOf(q, pr) : null;
      },
    },
    ...(waiting.remedy.includes('or its priority')
      ? [{ name: 'a higher priority starts it sooner', pr, tried: () => goesPast({ priority: 1 }) }]
      : []),
    ...(/(?<!have to end before .*)it is next\.$/.test(nearest.sentence)
      ? [{ name: 'a pull request that is next gets the next free slot', pr, tried: () => nextIsFree(q, pr) }]
      : []),
  ];
};

const placeOf = async (q: Story, pr: number): Promise<number> => {
  const { enqueued } = await q.world.mq.getQueue(q.world.ref);
  const place = enqueued.findIndex(({ submission }) => submission.pr === pr);
  return place < 0 ? Number.NEGATIVE_INFINITY : place;
};

/** Passes the first test of the line, which frees its slot. */
const nextIsFree = async (q: Story, pr: number): Promise<string | null> => {
  const first = (await runsOf(q)).find(
    ({ run: { stack, batch, purpose } }) =>
      purpose.kind === 'test' && stack.length === 0 && batch.every((member) => member.pr !== pr),
  );
  const content = first === undefined ? null : contentUnderTest(q, first.run);
  if (content === null) return null;
  const begun = () =>
    q.world.seen.history.filter((row) => row.type === 'moved' && row.pr === pr && row.to === 'testing')
      .length;
  const before = begun();
  await q.passes(content);
  // If the landing returns a pull request ahead of it, it is preempted again.
  const hasBegun = begun() > before;
  return hasBegun || (await isInRun(q, pr)) || isOver(q, pr) || HELD_OTHERWISE.has(codeOf(q, pr))
    ? null
    : statusOf(q, pr);
};

export const claimsOfBatch = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  if (nearest.code !== 'batch') return [];
  const { untilAt } = nearest;
  const hasBegun = async (isAlone: boolean): Promise<string | null> => {
    const runs = (await runsOf(q, pr)).filter(({ run }) => !isAlone || run.batch.length === 1);
    return runs.length > 0 || isOver(q, pr) || codeOf(q, pr) === 'conflict_ahead' ? null : statusOf(q, pr);
  };
  return [
    ...(untilAt === null
      ? []
      : [
          {
            name: 'a batch that is not full starts at its time',
            pr,
            tried: async () => {
              await waitsUntil(q, untilAt);
              return hasBegun(false);
            },
          },
        ]),
    ...(/set noBatch/.test(waiting.remedy)
      ? [
          {
            name: 'noBatch starts a pull request alone at once',
            pr,
            tried: async () => {
              await q.submit(pr, { noBatch: true });
              return hasBegun(true);
            },
          },
        ]
      : []),
  ];
};

/** Claims of waits that name a time, or one action that ends them. */
export const claimsOfWaits = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  const { code, untilAt } = nearest;
  const ends = (name: string, act: () => Promise<void>): Claim => ({
    name,
    pr,
    tried: async () => {
      await act();
      return codeOf(q, pr) === code ? statusOf(q, pr) : null;
    },
  });
  if (code === 'impacted_targets')
    return [ends('an upload ends the wait for impacted targets', () => q.touches(pr, ['//z']))];
  if (code === 'queue_draining')
    return [ends('a draining queue that is set running continues', () => q.resumes())];
  if ((code === 'conflict_ahead' || code === 'change_ahead') && nearest.pr !== null) {
    const holder = nearest.pr;
    return [
      {
        name: 'a conflicting pull request continues when its holder leaves',
        pr,
        tried: async () => {
          await q.cancel(holder);
          return viewOf(q, pr)?.waiting?.causes[0]?.pr === holder && codeOf(q, pr) === code
            ? statusOf(q, pr)
            : null;
        },
      },
    ];
  }
  if (untilAt === null || !['retry', 'rebuild', 'machinery'].includes(code)) return [];
  return [
    {
      name: 'a test without a verdict is repeated at its time',
      pr,
      tried: async () => {
        await waitsUntil(q, untilAt);
        const isTaken = (await isInRun(q, pr)) || isOver(q, pr) || isLanding(q, pr);
        const mayWait = waiting.remedy.includes('if a test slot is free then');
        return isTaken ||
          codeOf(q, pr) === 'conflict_ahead' ||
          (mayWait && ['turn', 'bisection_first'].includes(codeOf(q, pr)))
          ? null
          : statusOf(q, pr);
      },
    },
  ];
};
