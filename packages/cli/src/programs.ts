import { type ExecFileException, execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;
const TIME_LIMIT_MS = 30_000;

/**
 * The path of a program on the PATH; null if there is none. Relative entries are skipped: they could run a program
 * from the checkout.
 */
export const programPath = (name: string, path = ''): string | null => {
  const names = process.platform === 'win32' ? [`${name}.exe`] : [name];
  for (const folder of path.split(delimiter).filter(isAbsolute))
    for (const file of names.map((one) => join(folder, one))) if (isProgram(file)) return file;
  return null;
};

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell. Rejects only if it cannot be started at all. */
export const runProgram = (
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly input?: string },
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const { input, ...rest } = options;
    const limits = { maxBuffer: OUTPUT_LIMIT_BYTES, timeout: TIME_LIMIT_MS, encoding: 'utf8' as const };
    const child = execFile(file, [...args], { ...rest, ...limits }, (error, stdout, stderr) => {
      if (error !== null && typeof (error as ExecFileException).code === 'string') return reject(error);
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
