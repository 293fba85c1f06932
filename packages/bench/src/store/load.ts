import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export const CONNECTIONS = 40;

/** The address and credentials for requests. */
export interface Target {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly repo: object;
}

/** Pull requests with ascending numbers, from this one. */
interface Sent extends Target {
  readonly from: number;
  readonly count: number;
}

interface Answered {
  readonly from: number;
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

/** The argument that makes a child the load generator. */
export const LOAD = 'load';

/**
 * A separate client process with this many connections per target; each connection sends the next request when one is
 * answered.
 */
export class Load {
  readonly #child: ChildProcess = fork(process.argv[1] ?? '', [LOAD]);
  readonly #sent = new Map<Target, number>();

  /**
   * Sends this many requests to a target and resolves with the number per second. Rejects if any answer is not 200.
   * Call one at a time.
   */
  async perSecond(target: Target, count: number): Promise<number> {
    return (await this.#send(target, count)).perSecond;
  }

  /** Sends this many requests to a target and resolves with their numbers and durations, in order. */
  async latencies(
    target: Target,
    count: number,
  ): Promise<{ readonly from: number; readonly latenciesMs: readonly number[] }> {
    const { from, latenciesMs } = await this.#send(target, count);
    return { from, latenciesMs };
  }

  #send(target: Target, count: number): Promise<Answered> {
    const from = this.#sent.get(target) ?? 1;
    this.#sent.set(target, from + count);
    const sent: Sent = { ...target, from, count };
    return new Promise((resolve, reject) => {
      this.#child.removeAllListeners();
      this.#child.once('message', resolve);
      this.#child.once('error', reject);
      this.#child.once('exit', (code) => reject(new Error(`the load ended with code ${code}`)));
      this.#child.send(sent);
    });
  }

  end(): void {
    this.#child.removeAllListeners();
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** The child: sends what its parent requests and reports the speed, until the parent ends. */
export const sendLoad = async (): Promise<void> => {
  const connected = new Map<number, readonly Connection[]>();
  const connectionsTo = async (port: number): Promise<readonly Connection[]> => {
    const known = connected.get(port);
    if (known !== undefined) return known;
    const made = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.to(port)));
    connected.set(port, made);
    return made;
  };
  process.on('message', async (sent: Sent) => {
    process.send?.(await answersTo(sent, await connectionsTo(sent.port)));
  });
  await once(process, 'disconnect');
  for (const connection of [...connected.values()].flat()) connection.end();
};

const answersTo = async (sent: Sent, connections: readonly Connection[]): Promise<Answered> => {
  let next = sent.from;
  const latenciesMs: number[] = [];
  const sendOn = async (connection: Connection): Promise<void> => {
    while (next < sent.from + sent.count) {
      const number = next;
      next += 1;
      const askedAt = performance.now();
      await connection.ask(requestOf(sent, number));
      latenciesMs[number - sent.from] = performance.now() - askedAt;
    }
  };
  const startedAt = performance.now();
  await Promise.all(connections.map(sendOn));
  const perSecond = sent.count / ((performance.now() - startedAt) / 1_000);
  return { from: sent.from, perSecond, latenciesMs };
};

const requestOf = ({ port, path, token, repo }: Target, number: number): string => {
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

/** A minimal client, so that the server is measured. It reads `Content-Length` and nothing else. */
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

  /** Resolves at the end of the answer, which must be 200. */
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
