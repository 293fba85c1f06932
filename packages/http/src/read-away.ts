import type { Server, Socket } from 'node:net';

/** How long what a client still sends is read away after its last answer. */
const READ_AWAY_MS = 15_000;

/** How long the answers that are awaited on a held connection may take once its server closes. */
const CLOSING_GRACE_MS = 2_000;

/** Connections that come to their end here, by server: some are not known to Node's `closeAllConnections` any more. */
const held = new WeakMap<Server, Set<Socket>>();

/** Servers that wait for all their connections to end. */
const closing = new WeakSet<Server>();

/** From now on a connection does not keep its server for long once that closes. */
export const hold = (server: Server, socket: Socket): void => {
  if (closing.has(server)) return release(socket);
  const those = held.get(server) ?? new Set();
  held.set(server, those.add(socket));
  socket.once('close', () => those.delete(socket));
};

/**
 * A connection that is closed while its client sends is reset, and a client that is busy with sending never reads its answer.
 * So only our side is ended, with these last words; the rest when the client has ended too, or has had its time.
 */
export const endAndReadAway = (server: Server, socket: Socket, lastWords = ''): void => {
  if (closing.has(server)) return void socket.end(lastWords, () => socket.destroy());
  hold(server, socket);
  destroyIn(READ_AWAY_MS, socket);
  socket.resume();
  socket.end(lastWords);
};

/** From now on no client keeps the server waiting any longer than it takes to send the answer. */
export const readNothingAway = (server: Server): void => {
  closing.add(server);
  for (const socket of held.get(server) ?? []) release(socket);
};

/** Ends an idle connection at once; one that waits for an answer gets a moment. */
const release = (socket: Socket): void => {
  destroyIn(CLOSING_GRACE_MS, socket);
  if (socket.writableEnded) socket.end(() => socket.destroy());
};

const destroyIn = (ms: number, socket: Socket): void => {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
};
