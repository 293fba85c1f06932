import type { Server, Socket } from 'node:net';

/** How long what a client still sends is read away after its last answer. */
const READ_AWAY_MS = 15_000;

/** Connections that have had their last answer, by server. */
const ended = new WeakMap<Server, Set<Socket>>();

/** Servers that wait for all their connections to end. */
const closing = new WeakSet<Server>();

/**
 * A connection that is closed while its client sends is reset, and a client that is busy with sending never reads its answer.
 * So only our side is ended, with these last words; the rest when the client has ended too, or has had its time.
 */
export const endAndReadAway = (server: Server, socket: Socket, lastWords = ''): void => {
  if (closing.has(server)) return void socket.end(lastWords, () => socket.destroy());
  const those = ended.get(server) ?? new Set();
  ended.set(server, those.add(socket));
  const timer = setTimeout(() => socket.destroy(), READ_AWAY_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
    those.delete(socket);
  });
  socket.resume();
  socket.end(lastWords);
};

/** From now on nobody keeps the server waiting any longer than it takes to send what was said. */
export const readNothingAway = (server: Server): void => {
  closing.add(server);
  for (const socket of ended.get(server) ?? []) socket.end(() => socket.destroy());
};
