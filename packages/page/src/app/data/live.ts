import { type Client, type EventsRequest, isPassing, type MqEvent } from '@mq/client';
import type { QueueReader, QueueRef, Snapshot } from './queue-view.js';
import { endedBy } from './session.js';
import { storeOf } from './store.js';

/** How the page learns of changes. `since` is when that began, in milliseconds. */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost' | 'asleep';
  readonly since: number;
}

export const connection = storeOf<Connection>({ state: 'connecting', since: Date.now() });

/**
 * The messages between tabs: that something changed, and the state of the stream. Only the leading tab has a stream.
 */
type Message =
  | { readonly kind: 'changed'; readonly queue: string | null; readonly cursor: string | null }
  | { readonly kind: 'snapshot'; readonly queue: string; readonly snapshot: Snapshot }
  | { readonly kind: 'stream'; readonly state: Connection['state'] }
  | { readonly kind: 'hello' };

type Listener = (queue: string | null) => void;
type SnapshotListener = (queue: string, snapshot: Snapshot) => void;
type Shown = Pick<QueueReader, 'ref' | 'version'>;

/** A page that was hidden for this time closes its stream, and reads again when it is shown. */
export const HIDDEN_LIMIT_MS = 5 * 60_000;

/** Events that come within this time are sent together: a page is drawn once a second at most. */
const REST_MS = 1_000;
/**
 * The delay after which the stream is opened again for another queue, so that a page that is only passed through
 * costs none.
 */
const REOPEN_MS = 1_000;

const listeners = new Set<Listener>();
const snapshotListeners = new Set<SnapshotListener>();
let shown: Shown | null = null;
let reopenSoon: () => void = () => undefined;

/** Calls the listener with the name of each queue that changed (see `queueName`), or with null if any may have changed. */
export const onChange = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Calls the listener with each snapshot of the stream. */
export const onSnapshot = (listener: SnapshotListener): (() => void) => {
  snapshotListeners.add(listener);
  return () => void snapshotListeners.delete(listener);
};

/** Registers the queue that this tab shows. If this tab holds the event stream, the stream sends the changes of that queue. */
export const showQueue = (queue: Shown): (() => void) => {
  shown = queue;
  reopenSoon();
  return () => {
    if (shown !== queue) return;
    shown = null;
    reopenSoon();
  };
};

const changed = (queue: string | null): void => {
  for (const listener of listeners) listener(queue);
};

export const queueName = (parts: { host: string; owner: string; name: string }, branch: string): string =>
  JSON.stringify([parts.host, parts.owner, parts.name, branch]);

const setState = (state: Connection['state']): void => {
  if (connection.get().state !== state) connection.set({ state, since: Date.now() });
};

/**
 * Follows what happens until it is stopped; `only`: in that queue. `id` names the token, so that only tabs with the same rights
 * share a stream.
 */
export const startLive = (client: Client, id: string, only: QueueRef | null): (() => void) => {
  const channel = new BroadcastChannel(`mq-live-${id}`);
  let turn: AbortController | null = null;
  let cursor: string | null = null;
  let isLeader = false;

  const say = (message: Message): void => {
    channel.postMessage(message);
    receive(message);
  };
  const receive = (message: Message): void => {
    if (message.kind === 'hello') {
      if (isLeader) channel.postMessage({ kind: 'stream', state: connection.get().state } satisfies Message);
    } else if (message.kind === 'stream') setState(message.state);
    else if (message.kind === 'snapshot')
      for (const listener of snapshotListeners) listener(message.queue, message.snapshot);
    else {
      cursor = message.cursor ?? cursor;
      changed(message.queue);
    }
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => receive(data);

  const lead = async (signal: AbortSignal): Promise<void> => {
    isLeader = true;
    let isResumed = false;
    const onPosition = (position: string): void => {
      cursor = position;
    };
    try {
      for (;;) {
        const turn = reopening(signal);
        const request = { ...only, ...(cursor === null ? {} : { after: cursor }) };
        await readStream({ client, signal: turn, say, onPosition, isResumed }, request);
        if (signal.aborted || !turn.aborted) return;
        isResumed = cursor !== null;
      }
    } finally {
      isLeader = false;
      reopenSoon = () => undefined;
    }
  };
  const begin = (): void => {
    if (turn !== null) return;
    turn = new AbortController();
    setState('connecting');
    channel.postMessage({ kind: 'hello' } satisfies Message);
    void holdLock(`mq-live-${id}`, turn.signal, lead).catch(() => undefined);
  };
  const end = (): void => {
    turn?.abort();
    turn = null;
  };
  const stopWatching = whileShown(
    () => {
      changed(null);
      begin();
    },
    () => {
      end();
      setState('asleep');
    },
  );
  begin();
  return () => {
    stopWatching();
    end();
    channel.close();
  };
};

/** Runs it while this tab has the lock. Without locks, as on pages without TLS, each tab has a stream of its own. */
const holdLock = (
  name: string,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> =>
  navigator.locks === undefined
    ? run(signal)
    : navigator.locks
        .request(name, { signal }, () => run(signal).catch(() => undefined))
        .then(() => undefined);

/** Calls `shown` when the page becomes visible, and `hidden` when it has been invisible for the limit. */
const whileShown = (shown: () => void, hidden: () => void): (() => void) => {
  let timer = 0;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(hidden, HIDDEN_LIMIT_MS);
    else shown();
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
};

/** Aborts with the given signal, and some time after another queue is shown. */
const reopening = (signal: AbortSignal): AbortSignal => {
  const turn = new AbortController();
  let timer = 0;
  reopenSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => turn.abort(), REOPEN_MS);
  };
  return AbortSignal.any([signal, turn.signal]);
};

interface StreamParts {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly say: (message: Message) => void;
  readonly onPosition: (position: string) => void;
  /** It continues where the previous one was closed, so that nothing has to be read again. */
  readonly isResumed: boolean;
}

/** A broken stream is resumed after its last event; when it opens, the shown data is read again. */
const readStream = async (parts: StreamParts, request: EventsRequest): Promise<void> => {
  const { client, signal, say, onPosition } = parts;
  let { isResumed } = parts;
  const wanted = { ...request, restMs: REST_MS, ...shownIn() };
  const shownName = wanted.shown && queueName(wanted.shown.repo, wanted.shown.targetBranch);
  const options = {
    signal,
    onPosition,
    onSnapshot: (snapshot: Snapshot) => {
      if (shownName !== undefined) say({ kind: 'snapshot', queue: shownName, snapshot });
    },
    onOpen: () => {
      say({ kind: 'stream', state: 'live' });
      if (!isResumed) say({ kind: 'changed', queue: null, cursor: null });
      isResumed = false;
    },
    onLost: () => say({ kind: 'stream', state: 'lost' }),
  };
  try {
    for await (const event of client.events(wanted, options))
      say({ kind: 'changed', queue: queueOf(event), cursor: event.id });
  } catch (error) {
    if (signal.aborted || endedBy(error)) return;
    // A cursor that the server refuses would be refused again.
    const { after, ...fromNow } = request;
    if (after !== undefined && !isPassing(error)) return readStream({ ...parts, isResumed: false }, fromNow);
    say({ kind: 'stream', state: 'lost' });
  }
};

const shownIn = (): Pick<EventsRequest, 'shown'> => {
  const version = shown?.version();
  return shown === null ? {} : { shown: { ...shown.ref, ...(version === undefined ? {} : { version }) } };
};

const queueOf = ({ data }: MqEvent): string => queueName(data.repository, data.target_branch);
