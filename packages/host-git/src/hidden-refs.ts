import { setTimeout as delay } from 'node:timers/promises';
import { HostError } from '@mq/core';
import { readable } from './git.js';
import type { GitRepository } from './repositories.js';

const HIDDEN = 'refs/mq';
const TRIES = 5;
const WAIT_MS = 50;

/**
 * Has git refuse pushes to `refs/mq/*`, for who can write there can say what was tested and landed. A setting of the
 * repository that names just these refs is left as it is. Throws where it can be neither read nor written.
 */
export const hideFromPushes = async (repo: GitRepository): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    if (await isSet(repo)) return;
    const args = ['--local', '--add', 'receive.hideRefs', HIDDEN];
    const { code, stderr } = await repo.refs({ command: 'config', args, codes: [0, 4, 255] });
    if (code === 0) return;
    // Git does not wait for a lock of the configuration; another process may be setting the very same.
    if (tries < TRIES) await delay(WAIT_MS * tries);
    else
      throw new HostError(
        `Pushes to ${HIDDEN} cannot be kept away (git config --add receive.hideRefs ${HIDDEN}): ${readable(stderr)}`,
        'later',
      );
  }
};

const isSet = async (repo: GitRepository): Promise<boolean> => {
  const { stdout } = await repo.refs({
    command: 'config',
    args: ['--local', '-z', '--get-regexp', '^(receive|transfer)\\.hiderefs$'],
    codes: [0, 1],
  });
  const values = stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.slice(entry.indexOf('\n') + 1));
  return values.some((value) => value === HIDDEN || value === `!${HIDDEN}`);
};
