import { type Frame, svgOf } from './recording.js';
import type { Show } from './show.js';
import type { Line } from './styled.js';
import { viewOf } from './view.js';

/** Forwards the output and records what a terminal would show. */
export const recorder = (show: Show): { readonly show: Show; svg(): string } => {
  const frames: Frame[] = [];
  let last: readonly Line[] = [];
  return {
    show: {
      say: (lines) => {
        last = lines;
        show.say(lines);
      },
      sight: (sight) => {
        frames.push({ atMs: sight.atMs, lines: viewOf(sight) });
        show.sight(sight);
      },
    },
    svg: () => svgOf({ title: 'npm run demo', frames, end: last.slice(1) }),
  };
};
