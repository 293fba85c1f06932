import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** By its path: the commands that the server prints are run in other folders. */
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Ends a hanging program, with a better message than the timeout of a test. */
const START_LIMIT_MS = 400_000;

/** The variable that names the folder of the built programs, which `built-server.ts` sets. */
export const BUILT_FOLDER = 'MQ_TEST_SERVER_FOLDER';
/** In that folder: a PGlite database with its tables and without a row. */
export const EMPTY_STORE = 'empty-store';

/** The programs that tests run, each with its source in this package. */
export const programs = {
  main: 'src/main.ts',
  demo: 'src/demo.ts',
  'crash-point': 'test/crash-points/program.ts',
  'empty-store': 'test/empty-store.ts',
} as const;

export type ProgramName = keyof typeof programs;

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has been printed; rejects if the program ends without it. */
  prints(text: string): Promise<void>;
}

/** What Node runs a program with. Outside of Vitest nothing is built: then its source is run. */
export const argvOf = (name: ProgramName): readonly string[] => {
  const folder = process.env[BUILT_FOLDER];
  if (folder !== undefined) return [join(folder, `${name}.mjs`)];
  return ['--conditions=mq-source', `--import=${TSX}`, join(ROOT, 'packages/server', programs[name])];
};

/** A program of the server. It is the caller's to end. */
export const startProgram = (name: ProgramName, env: Environment, args: readonly string[] = []): Program => {
  const child = spawn(process.execPath, [...argvOf(name), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), ...env },
  });
  const texts = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      for (const listener of listeners) listener();
    });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const prints = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (texts.stdout.includes(text)) resolve();
      };
      listeners.add(look);
      look();
      const fail = (why: string) => reject(new Error(`${why}\n${texts.stdout}\n${texts.stderr}`));
      void ended.then(({ code }) => fail(`it ended with ${code} before it printed "${text}"`));
      setTimeout(() => fail(`it did not print "${text}"`), START_LIMIT_MS).unref();
    });
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended, prints };
};
