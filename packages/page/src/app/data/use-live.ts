import { MqError } from '@mq/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onChange } from './live.js';
import { endedBy } from './session.js';

export interface Loaded<Value> {
  /** The last answer; null until there is one. */
  readonly value: Value | null;
  /** Why the last read failed; null if it did not. */
  readonly error: MqError | null;
  readonly reload: () => void;
}

/** At most one read per second, however much happens. */
const PAUSE_MS = 1_000;
/** Reads that find no server are repeated; the stream is what notices first that it is back. */
const RETRY_MS = 5_000;

/**
 * Reads when the view is opened, and again whenever `queue` changes; null: whenever any queue does. `load` must be the same
 * function until something else is to be read.
 */
export const useLive = <Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  queue: string | null,
): Loaded<Value> => {
  const [value, setValue] = useState<Value | null>(null);
  const [error, setError] = useState<MqError | null>(null);
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    setValue(null);
    setError(null);
    const reader = repeatedly(async (signal) => {
      setValue(await load(signal));
      setError(null);
    }, setError);
    again.current = reader.ask;
    reader.ask();
    const stop = onChange((name) => {
      if (queue === null || name === null || name === queue) reader.ask();
    });
    return () => {
      stop();
      reader.stop();
    };
  }, [load, queue]);
  return { value, error, reload: () => again.current() };
};

interface Reader {
  ask(): void;
  stop(): void;
}

/** Runs one read at a time; what is asked for meanwhile follows after the pause. */
const repeatedly = (
  read: (signal: AbortSignal) => Promise<void>,
  onError: (error: MqError) => void,
): Reader => {
  const over = new AbortController();
  let isBusy = false;
  let isWanted = false;
  let hasFailed = false;
  let timer = 0;
  const run = async (): Promise<void> => {
    isBusy = true;
    isWanted = false;
    let pauseMs = PAUSE_MS;
    try {
      await read(over.signal);
      hasFailed = false;
    } catch (error) {
      if (over.signal.aborted || endedBy(error)) return;
      if (!(error instanceof MqError)) throw error;
      onError(error);
      hasFailed = true;
      isWanted = error.status === null || error.status >= 500;
      pauseMs = RETRY_MS;
    } finally {
      isBusy = false;
    }
    timer = window.setTimeout(next, pauseMs);
  };
  const next = (): void => {
    timer = 0;
    if (isWanted && !over.signal.aborted) void run();
  };
  return {
    ask: () => {
      isWanted = true;
      if (isBusy || (timer !== 0 && !hasFailed)) return;
      clearTimeout(timer);
      next();
    },
    stop: () => {
      over.abort();
      clearTimeout(timer);
    },
  };
};
