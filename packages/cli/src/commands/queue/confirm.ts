import type { Asked } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';

/** Asks the user to confirm a change that is hard to undo. Throws unless the answer is yes or `--yes` is given. */
export const confirm = async (asked: Asked<{ readonly yes?: boolean }>, what: string): Promise<void> => {
  if (asked.options.yes === true) return;
  const answer = await asked.io.question(`${what} [y/N] `, false);
  if (answer !== null && /^y(es)?$/i.test(answer.trim())) return;
  throw new CliError(
    'NOT_CONFIRMED',
    answer === null ? 'Nothing was changed: there is no terminal to ask on.' : 'Nothing was changed.',
    exitCodes.failed,
    answer === null ? 'Use --yes.' : null,
  );
};
