import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Place } from '@mq/test-git';
import { vi } from 'vitest';

const run = promisify(execFile);

/** Puts a git wrapper on the PATH that runs these lines of shell first. `vi.unstubAllEnvs()` removes it. */
export const wrapGit = async ({ root }: Place, lines: string): Promise<void> => {
  const bin = join(root, 'bin');
  await mkdir(bin, { recursive: true });
  const real = (await run('sh', ['-c', 'command -v git'])).stdout.trim();
  const script = `#!/bin/sh\n${lines}\nexec ${real} "$@"\n`;
  await writeFile(join(bin, 'git'), script);
  await chmod(join(bin, 'git'), 0o755);
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env.PATH}`);
};
