import { createMergeQueue, type MergeMethod, type Receipt } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { runVerifyCommand } from '../src/index.js';
import { VerifyError } from '../src/verify/verify-error.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';

const ref = { repo, targetBranch: 'main' };
/** Max rounds until a pull request that can land has landed. */
const ROUNDS_LIMIT = 20;

export interface LandingWorld extends GitWorld {
  /** Opens pull requests with these files or commits, and lands them through the queue. */
  lands(...pulls: readonly Parameters<GitWorld['open']>[0][]): Promise<void>;
  /** A page of `listReceipts`. */
  page(after?: number): Promise<{ receipts: readonly Receipt[]; chain: unknown }>;
  end(): Promise<void>;
}

/** A real queue on a real repository, whose checks pass. */
export const landingWorld = async (mergeMethod: MergeMethod = 'squash'): Promise<LandingWorld> => {
  const world = await gitWorld();
  await world.configure('unit', 'true');
  const mq = createMergeQueue({ store: memoryStore(), hosts: { local: world.host } });
  await mq.createQueue({ ...ref, concurrency: 3, mergeMethod });
  const isQuiet = async () => (await mq.getQueue(ref)).enqueued.length === 0;
  return {
    ...world,
    lands: async (...pulls) => {
      for (const pull of pulls) await mq.submit({ ...ref, pr: await world.open(pull) });
      for (let round = 0; !(await isQuiet()); round += 1) {
        if (round === ROUNDS_LIMIT) throw new Error('The queue does not come to rest.');
        await mq.notice({ repo, what: 'branch' });
        await mq.settled();
        await world.host.checksEnded();
        await mq.notice({ repo, what: 'checks' });
        await mq.settled();
      }
    },
    page: async (after = 0) => {
      const { items, head } = await mq.receipts({ ...ref, after });
      return { receipts: items, chain: head };
    },
    end: async () => {
      await mq.close();
      await world.close();
    },
  };
};

export interface Said {
  readonly code: number;
  readonly text: string;
}

/** Runs the command with these files. A value is written as JSON, a string unchanged. */
export const mqVerify = async (
  files: Readonly<Record<string, unknown>>,
  ...args: readonly string[]
): Promise<Said> => {
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const read = async (name: string) => {
    const file = files[name];
    if (file === undefined) throw new VerifyError('BAD_INPUT', `${name} cannot be read.`);
    return typeof file === 'string' ? file : JSON.stringify(file);
  };
  const names = Object.keys(files).filter((name) => name !== '-');
  const code = await runVerifyCommand([...names, ...args], { out: say, err: say, read });
  return { code, text: said.join('\n') };
};

/** The faults that the command reports, each with the number of its receipt. */
export const faultsIn = async (
  files: Readonly<Record<string, unknown>>,
  ...args: readonly string[]
): Promise<readonly string[]> => {
  const { code, text } = await mqVerify(files, ...args, '--json');
  const { ok, chains } = JSON.parse(text);
  const faults = chains.flatMap((chain: { faults: { code: string; number: number | null }[] }) =>
    chain.faults.map((fault) => `${fault.number} ${fault.code}`),
  );
  if (ok !== (faults.length === 0) || code !== (ok ? 0 : 1))
    throw new Error(`exit code ${code} and ok ${ok} do not fit ${faults.length} faults`);
  return faults;
};
