import { MqError } from '@mq/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onChange, onSnapshot, showQueue } from './live.js';
import type { QueueReader, Snapshot } from './queue-view.js';
import { endedBy } from './session.js';

export interface Loaded<Value> {
  /** The last answer; null until there is one. */
  readonly value: Value | null;
  /** Why the last read failed; null if it did not. */
  readonly error: MqError | null;
  readonly reload: () => void;
}

/**
 * At most one read per second. The delay of a read after a change, since the server may answer what it computed a
 * second ago.
 */
const PAUSE_MS = 1_000;
/** Reads without an answer are retried; the stream notices first that the server is back. */
const RETRY_MS = 5_000;
/** If the stream brings what changes, a read follows only if it does not come within this time. */
const LATE_MS = 5_000;
/** A snapshot may be a second old when it is sent, and is sent once a second: it may lack a change that is younger than this. */
const MISSED_MS = 2_500;

/** The data of a queue that the stream brings instead of reads. */
interface Brought<Value> extends Pick<QueueReader, 'ref' | 'version'> {
  readonly take: (snapshot: Snapshot) => Value | null;
}

/**
 * Reads when the view is opened, and again whenever `queue` changes; null: whenever any queue does. `load` must be the same
 * function until something else is to be read. `pollMs` says after which time an answer is read again without a change.
 * `brought`: the stream brings the changes, as far as it can; the same object as long as `load`.
 */
export const useLive = <Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  queue: string | null,
  pollMs: (value: Value) => number | null = () => null,
  brought: Brought<Value> | null = null,
): Loaded<Value> => {
  const [value, setValue] = useState<Value | null>(null);
  const [error, setError] = useState<MqError | null>(null);
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    setValue(null);
    setError(null);
    let stopShowing: (() => void) | null = null;
    const shows = (answer: Value): number | null => {
      setValue(answer);
      setError(null);
      if (brought !== null) stopShowing ??= showQueue(brought);
      return pollMs(answer);
    };
    const reader = repeatedly(async (signal) => shows(await load(signal)), setError);
    again.current = () => reader.changed(true);
    reader.read();
    const stop = onChange((name) => {
      if (queue === null || name === null || name === queue) reader.changed(name === null);
    });
    const stopTaking = onSnapshot((name, snapshot) => {
      const answer = name === queue ? (brought?.take(snapshot) ?? null) : null;
      if (answer !== null) reader.brought(shows(answer));
    });
    return () => {
      stop();
      stopTaking();
      stopShowing?.();
      reader.stop();
    };
  }, [load, queue]);
  return { value, error, reload: () => again.current() };
};

interface Reader {
  read(): void;
  /**
   * The data has changed. Guarantees a read that begins a second later, or later still. `isAny`: it is unknown
   * whether the stream brings it.
   */
  changed(isAny?: boolean): void;
  /** The stream has brought what changed. It is read again after this time; null: not before a change. */
  brought(nextMs: number | null): void;
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
  /** The last change was brought by the stream, so that the next one will be too. */
  let isBrought = false;
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    dueAt = performance.now() + ms;
    timer = window.setTimeout(() => void run(), ms);
  };
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    isBusy = true;
    isBrought = false;
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
    changed: (isAny = false) => {
      if (isAny) isBrought = false;
      const pauseMs = isBrought ? LATE_MS : PAUSE_MS;
      changedAt = performance.now();
      if (!isBusy && dueAt > changedAt + pauseMs) schedule(pauseMs);
    },
    brought: (nextMs) => {
      if (isBusy) return;
      isBrought = true;
      const mayMissOne = changedAt > performance.now() - MISSED_MS;
      clearTimeout(timer);
      dueAt = Number.POSITIVE_INFINITY;
      if (mayMissOne) return schedule(LATE_MS);
      changedAt = Number.NEGATIVE_INFINITY;
      if (nextMs !== null && !document.hidden) schedule(nextMs);
    },
    stop: () => {
      over.abort();
      clearTimeout(timer);
    },
  };
};
