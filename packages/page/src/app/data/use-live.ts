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

/** At most one read per second. The server may answer what it computed a second ago, so that a read follows each change so late. */
const PAUSE_MS = 1_000;
/** Reads that find no server are repeated; the stream is what notices first that it is back. */
const RETRY_MS = 5_000;

/**
 * Reads when the view is opened, and again whenever `queue` changes; null: whenever any queue does. `load` must be the same
 * function until something else is to be read. `pollMs` says after which time an answer is read again without a change.
 */
export const useLive = <Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  queue: string | null,
  pollMs: (value: Value) => number | null = () => null,
): Loaded<Value> => {
  const [value, setValue] = useState<Value | null>(null);
  const [error, setError] = useState<MqError | null>(null);
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    setValue(null);
    setError(null);
    const reader = repeatedly(async (signal) => {
      const answer = await load(signal);
      setValue(answer);
      setError(null);
      return pollMs(answer);
    }, setError);
    again.current = reader.changed;
    reader.read();
    const stop = onChange((name) => {
      if (queue === null || name === null || name === queue) reader.changed();
    });
    return () => {
      stop();
      reader.stop();
    };
  }, [load, queue]);
  return { value, error, reload: () => again.current() };
};

interface Reader {
  read(): void;
  /** What is read has changed: there will be a read that begins a second later, or later still. */
  changed(): void;
  stop(): void;
}

/** Runs one read at a time. `read` says after which time to read again; null: not before a change. */
const repeatedly = (
  read: (signal: AbortSignal) => Promise<number | null>,
  onError: (error: MqError) => void,
): Reader => {
  const over = new AbortController();
  let isBusy = false;
  let changedAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let timer = 0;
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    dueAt = performance.now() + ms;
    timer = window.setTimeout(() => void run(), ms);
  };
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    isBusy = true;
    const startedAt = performance.now();
    let nextMs: number | null = null;
    try {
      nextMs = await read(over.signal);
    } catch (error) {
      if (over.signal.aborted || endedBy(error)) return;
      if (!(error instanceof MqError)) throw error;
      onError(error);
      nextMs = error.status === null || error.status >= 500 ? RETRY_MS : null;
    } finally {
      isBusy = false;
    }
    if (over.signal.aborted) return;
    if (changedAt > startedAt - PAUSE_MS) schedule(PAUSE_MS);
    else if (nextMs !== null && !document.hidden) schedule(nextMs);
  };
  return {
    read: () => void run(),
    changed: () => {
      changedAt = performance.now();
      if (!isBusy && dueAt > changedAt + PAUSE_MS) schedule(PAUSE_MS);
    },
    stop: () => {
      over.abort();
      clearTimeout(timer);
    },
  };
};
