import type { Schemas } from '../command.js';
import { numbers } from './pull-request.js';
import { counted, type Style } from './style.js';
import { clock, duration } from './time.js';
import { wrapped } from './width.js';

export type Preview = Schemas['PreviewAnswer'];

const runText = ({ prNumbers, testedOnTopOf }: Schemas['PreviewedTestRun']): string =>
  `${prNumbers.length === 0 ? 'the base alone' : numbers(prNumbers)}${testedOnTopOf.length === 0 ? '' : ` on top of ${numbers(testedOnTopOf)}`}`;

const ciTime = (minutes: number): string => duration(minutes * 60_000);

const cancelledText = (run: Schemas['PreviewedCancellation']): string =>
  `  ✖ ${runText(run)}: ${run.hadPassed ? 'its pass is lost' : `stopped after ${ciTime(run.ciMinutes)}`}`;

const moveText = ({ prNumber, from, to }: Schemas['PreviewedMove']): string => {
  const words = (state: string | null) => (state === null ? 'not in the queue' : state.replaceAll('_', ' '));
  return `  #${prNumber}: ${words(from)} → ${words(to)}`;
};

const positionText = ({ prNumber, from, to }: Schemas['PreviewedPosition']): string =>
  `  #${prNumber}: position ${from ?? '–'} → ${to ?? '–'}`;

const mergeTime = (estimate: Schemas['PreviewedMerge']['before'], now: number): string =>
  estimate?.status === 'available' && estimate.expectedMergeAt !== null
    ? clock(estimate.expectedMergeAt, now)
    : 'not known';

/** The end of a line: the expected time, or why there is none. */
const expected = (estimate: Schemas['PreviewedMerge']['before'], now: number): string =>
  estimate?.status === 'unavailable' && estimate.reason !== 'ended'
    ? `not known. ${estimate.sentence}`
    : mergeTime(estimate, now);

/** One line for each change of an expected merge; those that end in the same way share one. */
const mergeLines = (merges: Preview['merges'], now: number): readonly string[] => {
  const groups = new Map<string, string[]>();
  for (const { prNumber, before, after } of merges) {
    const [from, to] = [mergeTime(before, now), expected(after, now)];
    if (from === mergeTime(after, now)) continue;
    const isShared = after?.status === 'unavailable' && after.reason !== 'ended';
    const key = isShared ? to : `#${prNumber}`;
    groups.set(key, [
      ...(groups.get(key) ?? []),
      isShared ? `#${prNumber} (${from})` : `#${prNumber}: ${from} → ${to}`,
    ]);
  }
  return [...groups].map(([to, texts]) => `  ${texts.join(', ')}${to.startsWith('#') ? '' : ` → ${to}`}`);
};

/** One move for each pull request, from where it is to where it ends. */
const wholeMoves = (moves: Preview['moves']): Preview['moves'] => {
  const whole = new Map<number, Preview['moves'][number]>();
  for (const move of moves)
    whole.set(move.prNumber, {
      ...move,
      from: whole.has(move.prNumber) ? (whole.get(move.prNumber)?.from ?? null) : move.from,
    });
  return [...whole.values()].filter(({ from, to }) => from !== to);
};

/** The lines of a list, and how many it leaves out. */
const listed = (title: string, lines: readonly string[], count: number): readonly string[] =>
  count === 0 ? [] : [title, ...lines, ...(count > lines.length ? [`  … ${count - lines.length} more`] : [])];

/** What a command would change at this instant. */
export const previewText = (preview: Preview, style: Style): string => {
  const { refusal, started, cancelled, moves, positions, ciMinutesLost } = preview;
  if (refusal !== null)
    return wrapped(`It would be refused: ${refusal.detail} (${refusal.code})`, style.width, '  ');
  const lost = ciMinutesLost === 0 ? '' : ` (${ciTime(ciMinutesLost)} of CI time lost)`;
  const shownMoves = wholeMoves(moves);
  const merges = mergeLines(preview.merges, style.now);
  const lines = [
    ...listed(
      `${counted(preview.cancelledCount, 'test run')} would be cancelled${lost}:`,
      cancelled.map(cancelledText),
      preview.cancelledCount,
    ),
    ...listed(
      `${counted(preview.startedCount, 'test run')} would start:`,
      started.map((run) => `  → ${runText(run)}`),
      preview.startedCount,
    ),
    ...listed(
      'States would change:',
      shownMoves.map(moveText),
      preview.movesCount - moves.length + shownMoves.length,
    ),
    ...listed('Positions would change:', positions.map(positionText), preview.positionsCount),
    ...listed('Expected merges would change:', merges, merges.length),
  ];
  const isStill =
    preview.cancelledCount + preview.startedCount + preview.movesCount + preview.positionsCount === 0;
  const shown = isStill
    ? [`No test run, state or position would change${merges.length === 0 ? '' : ' at once'}.`, ...lines]
    : lines;
  return [...shown, 'A preview: nothing was changed.']
    .map((line) => wrapped(line, style.width, '    '))
    .join('\n');
};
