import { explain } from '../src/explain/explain.js';
import type { Waiting } from '../src/model/view.js';
import type { WaitCode } from '../src/model/waits.js';
import { aDraft, type Given } from './rules.js';

/** The wait of a pull request in a given state, at the time of rule tests. */
export const waitOf = (pr: number, given: Given): Waiting => {
  const draft = aDraft(given);
  const submission = draft.liveSubmission(pr);
  const waiting = submission === undefined ? null : explain(draft, submission);
  if (waiting === null) throw new Error(`#${pr} waits for nothing`);
  return waiting;
};

export const codesOf = ({ causes }: Waiting): readonly WaitCode[] => causes.map(({ code }) => code);

/** The sentence of a cause by its index in the chain. */
export const causeAt = ({ causes }: Waiting, index: number): string => causes[index]?.sentence ?? '';
