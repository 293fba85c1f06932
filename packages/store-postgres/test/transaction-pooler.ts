import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between clients and a PostgreSQL server without passwords. */
export interface TransactionPooler {
  readonly url: string;
  /** How often a client got another connection than before. */
  readonly switches: number;
  close(): Promise<void>;
}

const SSL_REQUEST = 80_877_103;
const AUTHENTICATED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const [QUERY, SYNC, TERMINATE, READY_FOR_QUERY, PARAMETER] = ['Q', 'S', 'X', 'Z', 'S'].map((type) =>
  type.charCodeAt(0),
);
const IN_NO_TRANSACTION = 'I'.charCodeAt(0);

/** Splits a stream of bytes into messages; `head` is the size of what precedes the length. */
const framer = (head: () => 0 | 1) => {
  let rest = Buffer.alloc(0);
  return (bytes: Buffer): readonly Buffer[] => {
    rest = Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    for (;;) {
      const size = head();
      if (rest.length < size + 4) return frames;
      const length = size + rest.readInt32BE(size);
      if (rest.length < length) return frames;
      frames.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
};

/** A connection to PostgreSQL, lent to one client for one transaction at a time. */
class Lent {
  client: Client | null = null;
  readonly parameters: Buffer[] = [];
  readonly #socket: Socket;
  #unanswered = 1;

  constructor(
    { port, user, database }: { port: number; user: string; database: string },
    private readonly isFree: (lent: Lent) => void,
  ) {
    const said = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
    const begin = Buffer.alloc(8);
    begin.writeInt32BE(8 + said.length, 0);
    begin.writeInt32BE(196_608, 4);
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('error', () => undefined).write(Buffer.concat([begin, said]));
    const frames = framer(() => 1);
    this.#socket.on('data', (bytes) => frames(bytes).forEach(this.#heard));
  }

  send(frame: Buffer): void {
    if (frame[0] === QUERY || frame[0] === SYNC) this.#unanswered += 1;
    this.#socket.write(frame);
  }

  end(): void {
    this.#socket.destroy();
  }

  /** Messages for no client, such as notifications, are dropped. */
  readonly #heard = (frame: Buffer): void => {
    if (this.client === null && frame[0] === PARAMETER) this.parameters.push(frame);
    this.client?.socket.write(frame);
    if (frame[0] !== READY_FOR_QUERY) return;
    this.#unanswered -= 1;
    if (this.#unanswered > 0 || frame[5] !== IN_NO_TRANSACTION) return;
    if (this.client !== null) this.client.lent = null;
    this.client = null;
    this.isFree(this);
  };
}

interface Client {
  readonly socket: Socket;
  readonly waiting: Buffer[];
  lent: Lent | null;
  last: Lent | null;
}

/**
 * A pooler in transaction mode, like pgbouncer: each transaction gets the connection that was idle longest, so that
 * nothing prepared, locked, set or listened for in a session survives.
 */
export const startTransactionPooler = async (url: string, size: number): Promise<TransactionPooler> => {
  const { port, username, pathname } = new URL(url);
  const free: Lent[] = [];
  const clients = new Set<Client>();
  let switches = 0;
  const serve = (): void => {
    for (const client of clients) {
      if (client.waiting.length === 0 || client.lent !== null) continue;
      const lent = free.shift();
      if (lent === undefined) return;
      if (client.last !== null && client.last !== lent) switches += 1;
      [client.lent, client.last, lent.client] = [lent, lent, client];
      for (const frame of client.waiting.splice(0)) lent.send(frame);
    }
  };
  const isFree = (lent: Lent): void => {
    free.push(lent);
    serve();
  };
  const place = { port: Number(port), user: username, database: pathname.slice(1) };
  const all = Array.from({ length: size }, () => new Lent(place, isFree));
  const server: Server = createServer({ noDelay: true }, (socket) => {
    const client: Client = { socket, waiting: [], lent: null, last: null };
    let isGreeted = false;
    const frames = framer(() => (isGreeted ? 1 : 0));
    const heard = (frame: Buffer): void => {
      if (!isGreeted && frame.readInt32BE(4) === SSL_REQUEST) return void socket.write('N');
      if (!isGreeted) {
        isGreeted = true;
        clients.add(client);
        return void socket.write(Buffer.concat([AUTHENTICATED, ...(all[0]?.parameters ?? []), READY]));
      }
      if (frame[0] === TERMINATE) return void socket.end();
      if (client.lent === null) client.waiting.push(frame);
      else client.lent.send(frame);
    };
    socket.on('error', () => undefined);
    socket.on('close', () => clients.delete(client));
    socket.on('data', (bytes) => {
      for (const frame of frames(bytes)) heard(frame);
      serve();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the pooler has no port');
  return {
    url: `postgres://${username}@127.0.0.1:${address.port}${pathname}`,
    get switches() {
      return switches;
    },
    close: async () => {
      for (const { socket } of clients) socket.destroy();
      for (const lent of all) lent.end();
      server.close();
      await once(server, 'close');
    },
  };
};
