import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Io } from './io.js';

const INPUT_LIMIT_BYTES = 256 * 1024 * 1024;

const allInput = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes > INPUT_LIMIT_BYTES) throw new Error(`standard input has more than ${INPUT_LIMIT_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const question = async (text: string, isSecret: boolean): Promise<string | null> => {
  if (process.stdin.isTTY !== true) return null;
  process.stderr.write(text);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({
    input: process.stdin,
    output: isSecret ? unseen : process.stderr,
    terminal: true,
  });
  try {
    return await new Promise<string | null>((resolve) => {
      asking.once('line', resolve);
      asking.once('SIGINT', () => {
        process.kill(process.pid, 'SIGINT');
        resolve(null);
      });
      asking.once('close', () => resolve(null));
    });
  } finally {
    asking.close();
    if (isSecret) process.stderr.write('\n');
  }
};

/** If the reader closes the pipe (`mq … | head`), that is not a failure. */
const endWithReader = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
};

/** The process that the user has started. The second Ctrl-C ends it at once. */
export const processIo = (): Io => {
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => end.abort(new Error(`ended by ${signal}`)));
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal: () =>
      process.stdout.isTTY === true
        ? { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }
        : null,
    onResize: (changed) => {
      process.stdout.on('resize', changed);
      return () => void process.stdout.off('resize', changed);
    },
    isInputTerminal: process.stdin.isTTY === true,
    input: allInput,
    question,
    now: Date.now,
    interrupted: end.signal,
  };
};
