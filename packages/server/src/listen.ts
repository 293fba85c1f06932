import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServerConfig } from './config.js';
import { codeOf, StartProblem } from './problem.js';

const PRIVILEGED_BELOW = 1024;

/**
 * Starts listening and returns the URL for clients on this machine. Listens on one address even if the name has several:
 * Fastify creates another server for each further address of `localhost`, without the settings of the first.
 */
export const listen = async (
  app: FastifyInstance,
  { host, port }: Pick<ServerConfig, 'host' | 'port'>,
): Promise<string> => {
  try {
    await app.listen({ host: (await lookup(host)).address, port });
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const { address, family, port: taken } = app.server.address() as AddressInfo;
  const isAny = address === '0.0.0.0' || address === '::';
  const name = isAny ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${name}:${taken}`;
};

/**
 * Throws the StartProblem of `listen` if the port is taken, before anything else is opened. Another program can still take
 * the port before `listen` does.
 */
export const requirePort = async ({ host, port }: Pick<ServerConfig, 'host' | 'port'>): Promise<void> => {
  const probe = createServer();
  try {
    probe.listen({ host: (await lookup(host)).address, port });
    await once(probe, 'listening');
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  probe.close();
  await once(probe, 'close');
};

const cannotListen = (host: string, port: number, error: unknown): StartProblem => {
  const another = `PORT=${port < 65_535 ? port + 1 : 8787} npm start`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartProblem(
        `Port ${port} on ${host} is taken by another program.`,
        `End that program, or choose another port: ${another}`,
        { cause: error },
      );
    case 'EACCES':
      return new StartProblem(
        `No permission to listen on port ${port}.`,
        port < PRIVILEGED_BELOW
          ? 'Ports below 1024 need special rights; choose a higher one: PORT=8787 npm start'
          : `Choose another port: ${another}`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartProblem(
        `${host} is not an address of this machine.`,
        'Omit HOST to allow connections from this machine only, or set HOST=0.0.0.0 to allow others too.',
        { cause: error },
      );
    default:
      return new StartProblem(
        `The server cannot listen on ${host}, port ${port}: ${error instanceof Error ? error.message : String(error)}.`,
        'Correct HOST and PORT.',
        { cause: error },
      );
  }
};
