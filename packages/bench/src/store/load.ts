import { fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';

export const CONNECTIONS = 40;

/** What is sent: pull requests by rising number, from 1 on. */
export interface Sent {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly repo: object;
  /** Requests before it is measured, on the same connections. */
  readonly warmUp: number;
  readonly count: number;
}

/** The argument by which a child knows that it is the load. */
export const LOAD = 'load';

/**
 * Requests per second over so many connections, each sending its next when it is answered, from a process of their own as
 * clients are. Rejects on any other answer than 200.
 */
export const requestsPerSecond = (sent: Sent): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = fork(process.argv[1] ?? '', [LOAD, JSON.stringify(sent)]);
    child.once('message', (found: number) => resolve(found));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load ended with code ${code}`)));
  });

/** The child: measures, and tells its parent. */
export const sendLoad = async (sent: Sent): Promise<void> => {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.to(sent.port)));
  let next = 0;
  const sendUntil = async (last: number): Promise<void> => {
    const sendOn = async (connection: Connection): Promise<void> => {
      while (next < last) {
        next += 1;
        await connection.ask(requestOf(sent, next));
      }
    };
    await Promise.all(connections.map(sendOn));
  };
  await sendUntil(sent.warmUp);
  const startedAt = performance.now();
  await sendUntil(sent.warmUp + sent.count);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const connection of connections) connection.end();
  process.send?.(sent.count / seconds);
  process.disconnect();
};

const requestOf = ({ port, path, token, repo }: Sent, number: number): string => {
  const body = JSON.stringify({ repo, targetBranch: 'main', pr: { number } });
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-api-token: ${token}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

const END_OF_HEAD = '\r\n\r\n';

/** A client that does as little as it can: what is measured is the server. It reads `Content-Length` and nothing else. */
class Connection {
  #said = '';
  #answered: () => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text: string) => this.#hear(text));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('the server ended the connection')));
  }

  static to(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** Resolves with the end of the answer, which has to be 200. */
  ask(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      [this.#answered, this.#failed] = [resolve, reject];
      this.socket.write(request);
    });
  }

  end(): void {
    this.socket.removeAllListeners('close').end();
  }

  #hear(text: string): void {
    this.#said += text;
    const head = this.#said.indexOf(END_OF_HEAD);
    if (head === -1) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#said)?.[1]);
    if (this.#said.length < head + END_OF_HEAD.length + length) return;
    const said = this.#said;
    this.#said = '';
    if (said.startsWith('HTTP/1.1 200 ')) this.#answered();
    else this.#failed(new Error(said));
  }
}
