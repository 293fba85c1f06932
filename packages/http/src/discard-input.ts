import type { Server, Socket } from 'node:net';

/** How long input of a client is read and discarded after its last answer. */
const DISCARD_INPUT_MS = 15_000;

/** How long pending answers on a tracked connection may take once its server closes. */
const CLOSING_GRACE_MS = 2_000;

/** Connections that this module ends, by server. Node's `closeAllConnections` no longer knows some of them. */
const connections = new WeakMap<Server, Set<Socket>>();

/** Servers that are closing and wait for their connections to end. */
const closing = new WeakSet<Server>();

/** Tracks a connection, so that it cannot delay the closing of its server for long. */
export const trackConnection = (server: Server, socket: Socket): void => {
  if (closing.has(server)) return release(socket);
  const those = connections.get(server) ?? new Set();
  connections.set(server, those.add(socket));
  socket.once('close', () => those.delete(socket));
};

/**
 * Sends `lastWords`, ends our side of the connection, and discards what the client still sends, until it ends its side or
 * `READ_AWAY_MS` is over. Closing at once would reset the connection, and a client that is still sending would never read
 * the answer.
 */
export const endAndDiscardInput = (server: Server, socket: Socket, lastWords = ''): void => {
  if (closing.has(server)) return void socket.end(lastWords, () => socket.destroy());
  trackConnection(server, socket);
  destroyIn(DISCARD_INPUT_MS, socket);
  socket.resume();
  socket.end(lastWords);
};

/** Stops discarding input when a server closes: tracked connections end as soon as their answers are sent. */
export const stopDiscardingInput = (server: Server): void => {
  closing.add(server);
  for (const socket of connections.get(server) ?? []) release(socket);
};

/** Ends an idle connection at once, and one with a pending answer after `CLOSING_GRACE_MS` at the latest. */
const release = (socket: Socket): void => {
  destroyIn(CLOSING_GRACE_MS, socket);
  if (socket.writableEnded) socket.end(() => socket.destroy());
};

const destroyIn = (ms: number, socket: Socket): void => {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
};
