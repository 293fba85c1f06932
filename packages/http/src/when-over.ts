import type { FastifyReply } from 'fastify';

/** Calls it once an answer is out, or its client is gone: Node tells an answer that waits behind another nothing of that. */
export const whenOver = ({ request, raw }: FastifyReply, onOver: () => void): void => {
  const { socket } = request.raw;
  if (raw.destroyed || socket.destroyed) return onOver();
  socket.once('close', onOver);
  raw.once('close', () => {
    socket.off('close', onOver);
    onOver();
  });
};
