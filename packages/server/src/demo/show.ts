import { ansiText, type Line, plainText, span } from './styled.js';
import { contentOf, seconds, stateSpan, viewOf } from './view.js';
import type { Sight } from './watch.js';

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** The output of the demo. */
export interface Show {
  say(lines: readonly Line[]): void;
  sight(sight: Sight): void;
}

export const silentShow: Show = { say: () => undefined, sight: () => undefined };

/** Redraws a view on a terminal that is large enough; prints a line per change elsewhere. */
export const showOn = (screen: Screen): Show => {
  // A terminal of unknown size reports 0.
  const columns = screen.columns || 80;
  const isLive = screen.isTTY === true && columns >= 60 && (screen.rows || 24) >= 18;
  const print = (lines: readonly Line[]): void => {
    for (const line of lines)
      screen.write(`${screen.isTTY === true ? ansiText(line, columns) : plainText(line)}\n`);
  };
  return { say: print, sight: isLive ? redrawing(screen, columns) : changes(print) };
};

const redrawing = (screen: Screen, columns: number) => {
  let height = 0;
  return (sight: Sight): void => {
    const lines = viewOf(sight).map((line) => ansiText(line, columns - 1));
    const back = height === 0 ? '' : `\u001b[${height}A\u001b[0J`;
    height = lines.length;
    screen.write(`${back}${lines.join('\n')}\n`);
  };
};

const changes = (print: (lines: readonly Line[]) => void) => {
  const states = new Map<number, string>();
  const shown = new Set<string>();
  return ({ atMs, pullRequests, runs }: Sight): void => {
    const at = span(`${seconds(atMs).padStart(8)}  `, 'dim');
    for (const run of runs) {
      if (shown.has(run.testRunId)) continue;
      shown.add(run.testRunId);
      print([[at, span('test   ', 'busy'), span(contentOf(run))]]);
    }
    for (const { prNumber, prTitle, state, reason } of pullRequests) {
      if (states.get(prNumber) === state) continue;
      states.set(prNumber, state);
      const why = state === 'failed' && reason !== undefined ? `  ${reason.sentence}` : '';
      print([[at, span(`#${prNumber}     `, 'strong'), stateSpan(state), span(`${prTitle}${why}`)]]);
    }
  };
};
