import type { Story } from '@mq/testkit';
import {
  type Claim,
  codeOf,
  contentOf,
  contentUnderTest,
  isLanding,
  named,
  runsOf,
  stateOf,
  type Told,
  toldOf,
  viewOf,
  waitsUntil,
} from './claims.js';

/** What those are told who are under test, have failed, or wait for the tests of others. */
export const claimsOfFailures = (told: Told): readonly Claim[] => [
  ...claimsOfChecks(told),
  ...claimsOfConfirmation(told),
  ...claimsOfWitnesses(told),
  ...claimsOfThoseAhead(told),
  ...claimsOfControl(told),
  ...claimsOfIsolation(told),
];

/** Has what is tested for one end like this; false where nothing is. */
const ends = async (q: Story, pr: number, how: 'passes' | 'fails'): Promise<boolean> => {
  const content = await contentOf(q, pr);
  if (content === null) return false;
  await q[how](content);
  return true;
};

const claimsOfChecks = ({ q, pr, waiting, nearest }: Told): readonly Claim[] => {
  if (nearest.code !== 'checks' || stateOf(q, pr) !== 'testing') return [];
  const { untilAt, runId, sentence } = nearest;
  const isToBeConfirmed = waiting.causes.some(({ code }) => code === 'confirmation');
  const hangsOnFailed = named(sentence).some((one) => one !== pr && stateOf(q, one) === 'pending_failure');
  return [
    {
      name: 'the checks of a run decide it, and it holds whom it is said to hold',
      pr,
      tried: async () => {
        const content = await contentOf(q, pr);
        if (content === null) return null;
        const missing = named(sentence).filter((one) => !content.split('+').includes(String(one)));
        if (missing.length > 0) return `says "${sentence}", and tests ${content}`;
        const isPart = (await runsOf(q, pr)).some(({ run }) => run.purpose.kind === 'isolate');
        await q.passes(content);
        return isPart || isLanding(q, pr) || isToBeConfirmed || hangsOnFailed ? null : toldOf(q, pr);
      },
    },
    ...(untilAt === null
      ? []
      : [
          {
            name: 'a run times out at its deadline',
            pr,
            tried: async () => {
              await waitsUntil(q, untilAt);
              const isThere = ({ run }: Awaited<ReturnType<typeof runsOf>>[number]) =>
                run.id === runId && run.state === 'testing';
              return (await runsOf(q, pr)).some(isThere) ? toldOf(q, pr) : null;
            },
          },
        ]),
  ];
};

const claimsOfConfirmation = ({ q, pr, nearest }: Told): readonly Claim[] =>
  nearest.code !== 'confirmation'
    ? []
    : [
        {
          name: 'one that a second run passes lands',
          pr,
          tried: async () => ((await ends(q, pr, 'passes')) && !isLanding(q, pr) ? toldOf(q, pr) : null),
        },
        {
          name: 'one that a second run fails is failed, or goes on to be',
          pr,
          tried: async () =>
            (await ends(q, pr, 'fails')) && !['failed', 'pending_failure'].includes(stateOf(q, pr))
              ? toldOf(q, pr)
              : null,
        },
      ];

/** Who is to pass for one to land, and what comes of it if nobody does: `#1 lands if one of #2 and #3 passes together with it; …`. */
const claimsOfWitnesses = ({ q, pr, waiting, nearest }: Told): readonly Claim[] => {
  if (nearest.code !== 'witnesses') return [];
  const clearing = / merges if (.*?) passes together with it/.exec(waiting.remedy)?.[1] ?? '';
  const then = /(?:none does|does not|have ended), (.*?)[;.]/.exec(waiting.remedy)?.[1] ?? '';
  return [
    ...named(clearing).map((witness) => ({
      name: 'a witness that passes has one land',
      pr,
      tried: async () => ((await ends(q, witness, 'passes')) && !isLanding(q, pr) ? toldOf(q, pr) : null),
    })),
    {
      name: 'where no witness passes, what follows is what was told',
      pr,
      tried: async () => {
        for (let round = 0; round < 12 && codeOf(q, pr) === 'witnesses'; round += 1) {
          const witness = viewOf(q, pr)?.waiting?.causes[0]?.pr ?? null;
          if (witness === null || !(await ends(q, witness, 'fails'))) return null;
        }
        return isWhatFollows(q, pr, then) ? null : `told "${then}": ${toldOf(q, pr)}`;
      },
    },
  ];
};

const isWhatFollows = (q: Story, pr: number, then: string): boolean => {
  if (stateOf(q, pr) === 'failed') return then.includes('is failed');
  const codes = viewOf(q, pr)?.waiting?.causes.map(({ code }) => code) ?? [];
  if (codes.some((code) => ['control', 'target_unread', 'queue_paused'].includes(code))) return true;
  if (then.includes('once more')) return codes[0] === 'confirmation';
  return then.includes('searches its batch') && codes[0] === 'isolation';
};

/** Those who failed on top of others, or passed and stand behind others. */
const claimsOfThoseAhead = (told: Told): readonly Claim[] => {
  const { q, pr, waiting, nearest } = told;
  if (nearest.code === 'landing_turn' && !waiting.remedy.includes('which it was tested without'))
    return [
      {
        name: 'one that passed lands behind those ahead of it, once they pass',
        pr,
        tried: async () => {
          for (let round = 0; round < 10 && codeOf(q, pr) === 'landing_turn'; round += 1)
            if (!(await passesAhead(q, pr))) return null;
          return isLanding(q, pr) ? null : toldOf(q, pr);
        },
      },
    ];
  if (nearest.code !== 'verdicts_ahead') return [];
  const ahead = named(nearest.sentence).filter((one) => one !== pr);
  const clearing = [...waiting.remedy.matchAll(/ if (?:one of )?([^;]*?) behind it passes/g)];
  return [
    ...clearing.flatMap(([, names = '']) =>
      named(names).map((witness) => ({
        name: 'one behind that passes has one land together with those ahead',
        pr,
        tried: async () => ((await ends(q, witness, 'passes')) && !isLanding(q, pr) ? toldOf(q, pr) : null),
      })),
    ),
    {
      name: 'where all ahead land, what follows is what was told',
      pr,
      tried: () => allAheadLand(told, ahead),
    },
    {
      name: 'where one ahead leaves, nobody is failed for what was tested with it',
      pr,
      tried: async () => {
        const [first] = ahead;
        if (first === undefined) return `nobody is named ahead: ${toldOf(q, pr)}`;
        await q.cancel(first);
        return stateOf(q, pr) === 'failed' || codeOf(q, pr) === 'verdicts_ahead' ? toldOf(q, pr) : null;
      },
    },
  ];
};

const passesAhead = async (q: Story, pr: number): Promise<boolean> => {
  const ahead = named(viewOf(q, pr)?.waiting?.causes[0]?.sentence ?? '').filter((one) => one !== pr);
  const run = (await runsOf(q)).find(
    ({ run: { purpose, batch } }) =>
      purpose.kind === 'test' && batch.some((member) => ahead.includes(member.pr)),
  )?.run;
  const content = run === undefined ? null : contentUnderTest(q, run);
  if (content === null) return false;
  await q.passes(content);
  return true;
};

const allAheadLand = async ({ q, pr, waiting }: Told, ahead: readonly number[]): Promise<string | null> => {
  if (waiting.remedy.includes('which it was tested without')) return null;
  for (let round = 0; round < 8 && codeOf(q, pr) === 'verdicts_ahead'; round += 1) {
    let hasPassed = false;
    for (const one of ahead) hasPassed ||= await ends(q, one, 'passes');
    if (!hasPassed) return null;
  }
  const landed = q.world.seen.history.flatMap((row) =>
    row.type === 'moved' && row.to === 'merged' && ahead.includes(row.pr) ? [row.pr] : [],
  );
  const areAsTested = landed.join() === ahead.join();
  if (!areAsTested) return null;
  const codes = viewOf(q, pr)?.waiting?.causes.map(({ code }) => code) ?? [];
  const goesOn = ['control', 'confirmation', 'isolation', 'target_unread', 'witnesses'];
  return stateOf(q, pr) === 'failed' || isLanding(q, pr) || codes.some((code) => goesOn.includes(code))
    ? null
    : toldOf(q, pr);
};

const claimsOfControl = ({ q, pr, waiting, nearest }: Told): readonly Claim[] => {
  const tip = q.world.tip();
  if (nearest.code !== 'control' || tip === null) return [];
  const content = q.world.contentOf(tip);
  const isTested = q.world
    .checks()
    .some(({ isRunning, commit }) => isRunning && q.world.contentOf(commit) === content);
  if (!isTested) return [];
  return [
    {
      name: 'where the target itself passes, one is failed',
      pr,
      tried: async () => {
        await q.passes(content);
        return /passes, #\d+ is failed/.test(waiting.remedy) &&
          stateOf(q, pr) !== 'failed' &&
          codeOf(q, pr) !== 'control'
          ? toldOf(q, pr)
          : null;
      },
    },
    {
      name: 'where the target itself fails, the queue is paused and nobody is failed',
      pr,
      tried: async () => {
        await q.fails(content);
        if (waiting.remedy.includes('it is tested once more')) await q.fails(content);
        const isPaused = q.world.seen.queue?.status === 'paused';
        return waiting.remedy.includes('the queue is paused') && (!isPaused || stateOf(q, pr) === 'failed')
          ? toldOf(q, pr)
          : null;
      },
    },
  ];
};

const claimsOfIsolation = ({ q, pr, waiting, nearest }: Told): readonly Claim[] =>
  nearest.code === 'isolation' && waiting.remedy.includes('that pass merge')
    ? [
        {
          name: 'a part of a failed batch that passes lands',
          pr,
          tried: async () => ((await ends(q, pr, 'passes')) && !isLanding(q, pr) ? toldOf(q, pr) : null),
        },
      ]
    : [];
