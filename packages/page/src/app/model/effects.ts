import type { PreviewAnswer } from '../data/commands.js';
import { countText, prList, stateLooks } from './words.js';

const SHOWN = 5;

/** What a previewed command would do, a sentence each; none if it changes nothing else. */
export const effectsOf = (answer: PreviewAnswer): readonly string[] => [
  ...cancelledText(answer),
  ...startedText(answer),
  ...moveTexts(answer),
  ...positionTexts(answer),
];

const cancelledText = ({ cancelled, cancelledCount, ciMinutesLost }: PreviewAnswer): string[] => {
  if (cancelledCount === 0) return [];
  const prs = [...new Set(cancelled.flatMap(({ prNumbers }) => prNumbers))];
  const minutes = Math.round(ciMinutesLost);
  const lost = minutes === 0 ? '' : `; ${countText(minutes, 'CI minute')} would be lost`;
  return [`${countText(cancelledCount, 'test run')} would be cancelled (${prList(prs)})${lost}.`];
};

const startedText = ({ started, startedCount }: PreviewAnswer): string[] => {
  if (startedCount === 0) return [];
  const shown = started.slice(0, SHOWN).map(({ prNumbers, testedOnTopOf }) => {
    const tested = prNumbers.length === 0 ? 'the target branch' : prList(prNumbers);
    return testedOnTopOf.length === 0 ? tested : `${tested} on top of ${prList(testedOnTopOf)}`;
  });
  const more = startedCount > shown.length ? `, and ${startedCount - shown.length} more` : '';
  return [`${countText(startedCount, 'test run')} would start: ${shown.join('; ')}${more}.`];
};

const moveTexts = ({ moves, movesCount }: PreviewAnswer): string[] => {
  const shown = moves.slice(0, SHOWN).map(({ prNumber, from, to }) => {
    const was = from === null ? '' : ` from ${stateLooks[from].word.toLowerCase()}`;
    return `#${prNumber} would go${was} to ${stateLooks[to].word.toLowerCase()}.`;
  });
  return movesCount > shown.length
    ? [...shown, `${movesCount - shown.length} more would change state.`]
    : shown;
};

const positionTexts = ({ positions, positionsCount }: PreviewAnswer): string[] => {
  const moved = positions.filter(({ from, to }) => from !== null && to !== null);
  const shown = moved
    .slice(0, SHOWN)
    .map(({ prNumber, from, to }) => `#${prNumber} would be number ${to} in line, not ${from}.`);
  const entering = positions
    .filter(({ from, to }) => from === null && to !== null)
    .slice(0, SHOWN)
    .map(({ prNumber, to }) => `#${prNumber} would be number ${to} in line.`);
  const all = [...entering, ...shown];
  return positionsCount > SHOWN * 2 ? [...all, `${positionsCount} positions would change in all.`] : all;
};
