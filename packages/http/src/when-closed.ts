import type { FastifyReply } from 'fastify';

/**
 * Calls `onOver` when an answer is sent or its client disconnects. Listens to the socket too, because a pipelined response
 * that waits behind another emits no `close` when the client disconnects.
 */
export const whenClosed = ({ request, raw }: FastifyReply, onOver: () => void): void => {
  const { socket } = request.raw;
  if (raw.destroyed || socket.destroyed) return onOver();
  socket.once('close', onOver);
  raw.once('close', () => {
    socket.off('close', onOver);
    onOver();
  });
};
