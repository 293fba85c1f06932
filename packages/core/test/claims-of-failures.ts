import type { Story } from '@mq/testkit';
import {
  type Claim,
  codeOf,
  contentOf,
  contentUnderTest,
  isLanding,
  named,
  type Observed,
  runsOf,
  stateOf,
  statusOf,
  viewOf,
  waitsUntil,
} from './claims.js';

/** Claims about pull requests that are under test, have failed, or wait for the tests of others. */
export const claimsOfFailures = (observed: Observed): readonly Claim[] => [
  ...claimsOfChecks(observed),
  ...claimsOfConfirmation(observed),
  ...claimsOfWitnesses(observed),
  ...claimsOfThoseAhead(observed),
  ...claimsOfControl(observed),
  ...claimsOfBisection(observed),
];

/** Ends the test of a pull request; false if there is none. */
const ends = async (q: Story, pr: number, how: 'passes' | 'fails'): Promise<boolean> => {
  const content = await contentOf(q, pr);
  if (content === null) return false;
  await q[how](content);
  return true;
};

/** The sentence without what it says that the test run leaves out. */
const withoutLeftOut = (sentence: string): string => sentence.replace(/ without [^(]*\([^)]*\)/g, '');

const claimsOfChecks = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  if (nearest.code !== 'checks' || stateOf(q, pr) !== 'testing') return [];
  const { untilAt, runId, sentence } = nearest;
  const isToBeConfirmed = waiting.causes.some(({ code }) => code === 'confirmation');
  const included = named(withoutLeftOut(sentence));
  const hangsOnFailed = included.some((one) => one !== pr && stateOf(q, one) === 'pending_failure');
  return [
    {
      name: 'the checks of a run decide it, and it includes the pull requests that it names',
      pr,
      tried: async () => {
        const content = await contentOf(q, pr);
        if (content === null) return null;
        const missing = included.filter((one) => !content.split('+').includes(String(one)));
        if (missing.length > 0) return `says "${sentence}", and tests ${content}`;
        const isPart = (await runsOf(q, pr)).some(({ run }) => run.purpose.kind === 'isolate');
        await q.passes(content);
        return isPart || isLanding(q, pr) || isToBeConfirmed || hangsOnFailed ? null : statusOf(q, pr);
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
              return (await runsOf(q, pr)).some(isThere) ? statusOf(q, pr) : null;
            },
          },
        ]),
  ];
};

const claimsOfConfirmation = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  if (nearest.code !== 'confirmation') return [];
  const isThirdNamed = waiting.remedy?.includes('they run once more') === true;
  return [
    {
      name: 'a pull request that passes the second test run lands',
      pr,
      tried: async () => ((await ends(q, pr, 'passes')) && !isLanding(q, pr) ? statusOf(q, pr) : null),
    },
    {
      name: isThirdNamed
        ? 'a pull request with a flaky check that fails the second test run is tested a third time, or waits for its verdict'
        : 'a pull request that fails the second test run is failed, or waits for its verdict',
      pr,
      tried: async () => {
        if (!(await ends(q, pr, 'fails'))) return null;
        const isKept = isThirdNamed
          ? stateOf(q, pr) === 'pending_failure' || codeOf(q, pr) === 'confirmation'
          : ['failed', 'pending_failure'].includes(stateOf(q, pr));
        return isKept ? null : statusOf(q, pr);
      },
    },
  ];
};

/**
 * The witnesses whose pass lands it, and what follows if none passes: `#1 merges if one of #2 and #3 passes together
 * with it; …`.
 */
const claimsOfWitnesses = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  if (nearest.code !== 'witnesses') return [];
  const clearing = / merges if (.*?) passes together with it/.exec(waiting.remedy)?.[1] ?? '';
  const then = /(?:none does|does not|have ended), (.*?)[;.]/.exec(waiting.remedy)?.[1] ?? '';
  return [
    ...named(clearing).map((witness) => ({
      name: 'a witness that passes lands the failed pull request',
      pr,
      tried: async () => ((await ends(q, witness, 'passes')) && !isLanding(q, pr) ? statusOf(q, pr) : null),
    })),
    {
      name: 'what the wait names follows if no witness passes',
      pr,
      tried: async () => {
        for (let round = 0; round < 12 && codeOf(q, pr) === 'witnesses'; round += 1) {
          const witness = viewOf(q, pr)?.waiting?.causes[0]?.pr ?? null;
          if (witness === null || !(await ends(q, witness, 'fails'))) return null;
        }
        return isWhatFollows(q, pr, then) ? null : `claimed "${then}": ${statusOf(q, pr)}`;
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

/** Claims about pull requests that failed on top of others, or passed behind others. */
const claimsOfThoseAhead = (observed: Observed): readonly Claim[] => {
  const { q, pr, waiting, nearest } = observed;
  if (nearest.code === 'landing_turn' && !waiting.remedy.includes('which it was tested without'))
    return [
      {
        name: 'a passed pull request lands behind those ahead of it, once they pass',
        pr,
        tried: async () => {
          for (let round = 0; round < 10 && codeOf(q, pr) === 'landing_turn'; round += 1)
            if (!(await passesAhead(q, pr))) return null;
          return isLanding(q, pr) ? null : statusOf(q, pr);
        },
      },
    ];
  if (nearest.code !== 'verdicts_ahead') return [];
  const ahead = named(nearest.sentence).filter((one) => one !== pr);
  const clearing = [...waiting.remedy.matchAll(/ if (?:one of )?([^;]*?) behind it passes/g)];
  return [
    ...clearing.flatMap(([, names = '']) =>
      named(names).map((witness) => ({
        name: 'a pass behind a failure lands it together with those ahead',
        pr,
        tried: async () => ((await ends(q, witness, 'passes')) && !isLanding(q, pr) ? statusOf(q, pr) : null),
      })),
    ),
    {
      name: 'what the wait names follows if all ahead land',
      pr,
      tried: () => allAheadLand(observed, ahead),
    },
    {
      name: 'no pull request is failed for a test that included one that left',
      pr,
      tried: async () => {
        const [first] = ahead;
        if (first === undefined) return `no pull request is named ahead: ${statusOf(q, pr)}`;
        await q.cancel(first);
        return stateOf(q, pr) === 'failed' || codeOf(q, pr) === 'verdicts_ahead' ? statusOf(q, pr) : null;
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

const allAheadLand = async (
  { q, pr, waiting }: Observed,
  ahead: readonly number[],
): Promise<string | null> => {
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
    : statusOf(q, pr);
};

const claimsOfControl = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] => {
  const tip = q.world.tip();
  if (nearest.code !== 'control' || tip === null) return [];
  const content = q.world.contentOf(tip);
  const isTested = q.world
    .checks()
    .some(({ isRunning, commit }) => isRunning && q.world.contentOf(commit) === content);
  if (!isTested) return [];
  return [
    {
      name: 'the pull request is failed if the target itself passes',
      pr,
      tried: async () => {
        await q.passes(content);
        return /passes, #\d+ is failed/.test(waiting.remedy) &&
          stateOf(q, pr) !== 'failed' &&
          codeOf(q, pr) !== 'control'
          ? statusOf(q, pr)
          : null;
      },
    },
    {
      name: 'the queue is paused and no pull request is failed if the target itself fails',
      pr,
      tried: async () => {
        await q.fails(content);
        if (waiting.remedy.includes('it is tested once more')) await q.fails(content);
        const isPaused = q.world.seen.queue?.status === 'paused';
        return waiting.remedy.includes('the queue is paused') && (!isPaused || stateOf(q, pr) === 'failed')
          ? statusOf(q, pr)
          : null;
      },
    },
  ];
};

const claimsOfBisection = ({ q, pr, waiting, nearest }: Observed): readonly Claim[] =>
  nearest.code === 'isolation' && waiting.remedy.includes('that pass merge')
    ? [
        {
          name: 'what passes in a bisection lands',
          pr,
          tried: async () => ((await ends(q, pr, 'passes')) && !isLanding(q, pr) ? statusOf(q, pr) : null),
        },
      ]
    : [];
