import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodes } from './exit-codes.js';
import { CliError } from './failure.js';
import type { Io } from './io.js';

const faults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

/** The text of a file that the user names. Throws FILE_WRONG. */
export const readGivenFile = ({ cwd }: Pick<Io, 'cwd'>, file: string): string => {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new CliError(
      'FILE_WRONG',
      `${file} cannot be read: ${faults[code] ?? message}.`,
      exitCodes.wrongUse,
      `Give an absolute path, or one relative to ${cwd}.`,
      { cause: error },
    );
  }
};
