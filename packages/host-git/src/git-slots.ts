import PQueue from 'p-queue';

const PROCESSES_AT_ONCE = 8;
/** The limit for one repository: lower, so that others continue if git hangs in it. */
const PROCESSES_PER_REPOSITORY = 6;
/** After this time a process counts only for its repository, so that hanging ones do not fill all slots. */
const COUNTED_FOR_ALL_MS = 10_000;

/** A running process. `answer` may reject before the process has ended. */
export interface Running<Answer> {
  readonly answer: Promise<Answer>;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

const processes = new PQueue({ concurrency: PROCESSES_AT_ONCE });
const ofRepository = new Map<string, PQueue>();

/** Starts a process when there is a slot for it. Waiting ones start in order of priority. */
export const inSlot = <Answer>(
  repository: string,
  priority: number,
  start: () => Running<Answer>,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const slots = ofRepository.get(repository) ?? new PQueue({ concurrency: PROCESSES_PER_REPOSITORY });
    ofRepository.set(repository, slots);
    const run = async (): Promise<void> => {
      let ended: Promise<void> = Promise.resolve();
      const counted = async (): Promise<void> => {
        const running = start();
        ended = running.ended;
        running.answer.then(resolve, reject);
        await atMost(COUNTED_FOR_ALL_MS, ended);
      };
      await processes.add(counted, { priority });
      await ended;
    };
    slots
      .add(run, { priority })
      .catch(reject)
      .finally(() => {
        if (slots.size === 0 && slots.pending === 0) ofRepository.delete(repository);
      });
  });

const atMost = (limitMs: number, ended: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    void ended.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
