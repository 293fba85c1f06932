import { explain } from '../src/explain/explain.js';
import type { Waiting } from '../src/model/view.js';
import type { WaitCode } from '../src/model/waits.js';
import { aDraft, type Given } from './rules.js';

/** What one of the given pull requests waits for, when rule tests decide. */
export const waitOf = (pr: number, given: Given): Waiting => {
  const draft = aDraft(given);
  const submission = draft.liveSubmission(pr);
  const waiting = submission === undefined ? null : explain(draft, submission);
  if (waiting === null) throw new Error(`#${pr} waits for nothing`);
  return waiting;
};

export const codesOf = ({ causes }: Waiting): readonly WaitCode[] => causes.map(({ code }) => code);

/** The second sentence of a chain, the third, and so on. */
export const causeAt = ({ causes }: Waiting, index: number): string => causes[index]?.sentence ?? '';
