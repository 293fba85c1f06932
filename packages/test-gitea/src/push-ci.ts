import { git } from '@mq/test-git';
import { type Forge, TEAM } from './forge.js';

const LOOK_EVERY_MS = 200;

/** The text in a file that makes a commit fail. */
export const BROKEN = 'BROKEN';

export interface ForgeCi {
  /** The commits that were tested, each as often as it was. */
  readonly tested: readonly string[];
  end(): Promise<void>;
}

/** A CI that tests each candidate branch of a repository when it is pushed, and sets commit statuses. */
export const pushTriggeredCi = (
  forge: Pick<Forge, 'api' | 'bare'>,
  name: string,
  contexts: readonly string[],
  tookMs = 0,
): ForgeCi => {
  const begun = new Set<string>();
  const tested: string[] = [];
  const running = new Set<Promise<void>>();
  let isOn = true;
  const bare = forge.bare(name);
  const test = async (commit: string): Promise<void> => {
    const post = async (state: string) => {
      for (const context of contexts)
        await forge.api('POST', `/repos/${TEAM}/${name}/statuses/${commit}`, { context, state });
    };
    await post('pending');
    if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    const broken = await git(bare, 'grep', '-l', BROKEN, commit).catch(() => '');
    await post(broken === '' ? 'success' : 'failure');
    tested.push(commit);
  };
  const look = async (): Promise<void> => {
    const format = '--format=%(refname) %(objectname)';
    const lines = await git(bare, 'for-each-ref', format, 'refs/heads/mq').catch(() => '');
    for (const line of lines.split('\n').filter((each) => each !== '' && !begun.has(each))) {
      begun.add(line);
      // If the host is down, the next round tries the same branch once more.
      const one: Promise<void> = test(line.split(' ')[1] ?? '')
        .catch(() => void begun.delete(line))
        .finally(() => running.delete(one));
      running.add(one);
    }
  };
  const loop = async (): Promise<void> => {
    while (isOn) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };
  const looping = loop();
  return {
    tested,
    end: async () => {
      isOn = false;
      await looping;
      await Promise.all(running);
    },
  };
};
