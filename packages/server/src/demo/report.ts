import type { PullRequestAnswer } from './client.js';
import type { DemoPullRequest } from './project.js';
import type { ProvenCommit } from './proof.js';
import { fit, type Line, span } from './styled.js';
import { seconds, stateSpan } from './view.js';
import { isTerminal } from './watch.js';

export interface Result {
  readonly pr: number;
  readonly title: string;
  readonly outcome: string;
  readonly expected: string;
  readonly reason: string | null;
  readonly sentence: string;
  /** From the submit to the final state. */
  readonly waitMs: number;
  /** The number of its test runs. */
  readonly runs: number;
}

export interface Report {
  readonly ok: boolean;
  readonly surprises: readonly string[];
  readonly pullRequests: readonly Result[];
  readonly commits: readonly Omit<ProvenCommit, 'output'>[];
}

export const resultOf = (pull: PullRequestAnswer, wanted: DemoPullRequest, runs: number): Result => ({
  pr: pull.prNumber,
  title: wanted.title,
  outcome: pull.state,
  expected: wanted.expected.state,
  reason: pull.reason?.code ?? null,
  sentence: pull.reason?.sentence ?? '',
  waitMs: Date.parse(pull.stateChangedAt) - Date.parse(pull.submittedAt),
  runs,
});

/** Unexpected results; empty if there are none. */
export const surprisesOf = (
  results: readonly Result[],
  wanted: readonly DemoPullRequest[],
  commits: readonly ProvenCommit[],
): readonly string[] => {
  const surprises: string[] = [];
  for (const [index, { expected, title }] of wanted.entries()) {
    const result = results[index];
    const name = `#${index + 1} (${title})`;
    if (result === undefined) surprises.push(`${name} is not known to the queue.`);
    else if (!isTerminal(result.outcome))
      surprises.push(`${name} is still ${result.outcome} after the time was up.`);
    else if (result.outcome !== expected.state || result.reason !== expected.reason)
      surprises.push(
        `${name} is ${result.outcome} (${result.reason}), but ${expected.state} (${expected.reason}) was expected.`,
      );
    const landed = commits.filter(({ subject }) => subject.endsWith(`(#${index + 1})`)).length;
    const shouldLand = result?.outcome === 'merged' ? 1 : 0;
    if (landed !== shouldLand)
      surprises.push(`${name} is ${landed} times on the target branch, not ${shouldLand}.`);
  }
  for (const { commit, subject, passes, output } of commits)
    if (!passes) surprises.push(`The tests fail on ${commit.slice(0, 7)} (${subject}):\n${output}`);
  const foreign = commits.length - 1 - results.filter(({ outcome }) => outcome === 'merged').length;
  if (foreign !== 0) surprises.push(`The target branch has ${foreign} commits that no pull request brought.`);
  return surprises;
};

const WIDTHS = { title: 30, outcome: 12, why: 35, wait: 7 };

export const tableLines = (results: readonly Result[]): readonly Line[] => [
  [
    span(
      `  ${fit('', 4)}${fit('Pull request', WIDTHS.title)}  ${fit('Outcome', WIDTHS.outcome)}${fit('Reason', WIDTHS.why)}  ${'Wait'.padStart(WIDTHS.wait)}  Runs`,
      'dim',
    ),
  ],
  ...results.map(
    (result): Line => [
      span(`  #${result.pr}  `, 'strong'),
      span(`${fit(result.title, WIDTHS.title)}  `),
      stateSpan(result.outcome, WIDTHS.outcome),
      span(`${fit(result.sentence.replace(/\.$/, ''), WIDTHS.why)}  `),
      span(seconds(result.waitMs).padStart(WIDTHS.wait)),
      span(String(result.runs).padStart(6)),
    ],
  ),
];

export const proofLines = (commits: readonly ProvenCommit[]): readonly Line[] => [
  [span('  main, from the repository itself: the tests run on an export of every commit', 'dim')],
  ...commits.map(
    ({ commit, subject, passes }): Line => [
      passes ? span('  ✔ passes  ', 'good') : span('  ✖ fails   ', 'bad'),
      span(`${commit.slice(0, 7)}  `, 'dim'),
      span(subject),
    ],
  ),
];

export const verdictLines = (surprises: readonly string[], results: readonly Result[]): readonly Line[] =>
  surprises.length === 0
    ? [
        [
          span(
            `  Every commit on main passes: ${results.filter(({ outcome }) => outcome === 'merged').length} merged, ${results.filter(({ outcome }) => outcome === 'failed').length} held back, none by mistake.`,
            'good',
          ),
        ],
      ]
    : [
        [span('  This is not what should have happened:', 'bad')],
        ...surprises.flatMap((surprise) =>
          surprise.split('\n').map((line): Line => [span(`  ${line}`, 'bad')]),
        ),
      ];
