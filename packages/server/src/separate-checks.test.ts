import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { separateChecks } from './separate-checks.js';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

const folder = async (mode: number): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'mq-separate-'));
  onTestFinished(() => rm(path, { recursive: true }));
  await chmod(path, mode);
  return path;
};

const configOf = (dataFolder: string, user?: string, secretFiles: readonly string[] = []) => ({
  dataFolder,
  secretFiles,
  ci: { environment: {}, ...(user === undefined ? {} : { user }) },
});

test('without a user for checks the data folder stays as it is', async () => {
  const path = await folder(0o755);
  await separateChecks(configOf(path));
  expect((await stat(path)).mode & 0o777).toBe(0o755);
});

test('a user that does not exist stops the start with the remedy', async () => {
  await expect(separateChecks(configOf(await folder(0o700), 'mq-no-such-user'))).rejects.toMatchObject({
    name: 'StartProblem',
    message: expect.stringContaining('There is no user mq-no-such-user'),
  });
});

describe.runIf(isRoot)('a user for checks', () => {
  test('a user for checks takes the rights of other users from the data folder', async () => {
    const path = await folder(0o755);
    await separateChecks(configOf(path, 'daemon'));
    expect((await stat(path)).mode & 0o777).toBe(0o750);
  });

  test('a user for checks that can read a file with a secret stops the start', async () => {
    const file = join(await folder(0o755), 'token');
    await writeFile(file, 'secret', { mode: 0o644 });
    const config = configOf(await folder(0o700), 'daemon', [file]);
    await expect(separateChecks(config)).rejects.toMatchObject({
      message: `The user daemon of the checks can read ${file}.`,
      remedy: `Let only the server read it: chmod 600 ${file}`,
    });
    await chmod(file, 0o600);
    await separateChecks(config);
  });
});
