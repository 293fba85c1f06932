import { exitCodes } from './exit-codes.js';
import { CliError } from './failure.js';
import { durationIn, instantIn } from './text/time.js';

/** The clock of the server, whose times are shown, may be ahead of the one here. */
const CLOCK_AHEAD_MS = 60_000;
const INSTANTS = '30m, 2h, 1d, 14:05, 2026-05-04T14:05:00Z';

const required = <Value>(value: Value | null, given: string, understood: string): Value => {
  if (value !== null) return value;
  throw new CliError('TIME_WRONG', `${given} is not a time.`, exitCodes.wrongUse, `Write ${understood}.`);
};

const shown = (name: string, text: string): string => `${name} ${JSON.stringify(text)}`;

/** The milliseconds that an argument says; throws TIME_WRONG. */
export const requireDuration = (name: string, text: string): number =>
  required(durationIn(text), shown(name, text), '90s, 30m, 2h, 1d or 0');

/** The past instant that an argument says: a duration is counted back from now. Throws TIME_WRONG. */
export const requirePastInstant = (name: string, text: string, now: number): string => {
  const instant = required(instantIn(text, now, -1), shown(name, text), INSTANTS);
  if (Date.parse(instant) <= now + CLOCK_AHEAD_MS) return instant;
  throw new CliError(
    'TIME_WRONG',
    `${shown(name, text)} is in the future.`,
    exitCodes.wrongUse,
    'Give a time that has passed. `mq why <number>` says when a pull request is expected to merge.',
  );
};

/** The future instant that an argument says, null for `never`; throws TIME_WRONG. */
export const requireFutureInstant = (name: string, text: string, now: number): string | null => {
  if (text === 'never') return null;
  const instant = required(instantIn(text, now), shown(name, text), `${INSTANTS}, or never`);
  if (Date.parse(instant) >= now) return instant;
  throw new CliError(
    'TIME_WRONG',
    `${shown(name, text)} has passed.`,
    exitCodes.wrongUse,
    'Give a time that is still to come: 30m, 2h, 18:00, or never.',
  );
};
