import { execFile } from 'node:child_process';

const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;
const TIME_LIMIT_MS = 60_000;

export interface Ending {
  readonly code: number;
  readonly output: string;
}

/** Runs a program in a folder, independent of the user's settings. */
export const run = (
  program: string,
  args: readonly string[],
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Ending> =>
  new Promise((resolve, reject) => {
    const env = {
      PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: folder,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...more,
    };
    const options = { cwd: folder, env, maxBuffer: OUTPUT_LIMIT_BYTES, timeout: TIME_LIMIT_MS };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      if (error === null) resolve({ code: 0, output });
      else if (typeof error.code === 'number') resolve({ code: error.code, output });
      else reject(error);
    });
  });

/** The output of git without the last line break. Throws if git fails. */
export const git = async (
  folder: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const { code, output } = await run('git', args, folder, more);
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}: ${output.trim()}`);
  return output.trimEnd();
};
