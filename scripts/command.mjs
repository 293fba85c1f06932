import { spawn } from 'node:child_process';
import { ROOT } from './machine.mjs';

const KEPT_OUTPUT_CHARS = 64_000;

/**
 * Runs a program in the root with its output on the terminal; resolves to its exit code.
 * SIGINT and SIGTERM are handed on, and the child decides when it ends.
 * @param {readonly string[]} argv
 * @param {{ env?: Readonly<Record<string, string>> }} [options]
 * @returns {Promise<number>}
 */
export function run(argv, { env = {} } = {}) {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
    // On a terminal, Ctrl-C reaches the whole process group, including the child. A second signal would mean "stop at
    // once".
    const interrupt = () => {
      if (!process.stdin.isTTY) child.kill('SIGINT');
    };
    const terminate = () => child.kill('SIGTERM');
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', terminate);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', terminate);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/**
 * Runs a program in the root and keeps the end of its output; `onLine` sees each line as it comes.
 * @param {readonly string[]} argv
 * @param {{ env?: Readonly<Record<string, string>>, onLine?: ((line: string) => void) | undefined }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function capture(argv, { env = {}, onLine = () => {} } = {}) {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-KEPT_OUTPUT_CHARS);
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(line);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * The argv of a tool that is installed here, run by this very Node.
 * @param {string} file below node_modules
 * @param {readonly string[]} args
 */
export function tool(file, ...args) {
  return [process.execPath, `node_modules/${file}`, ...args];
}

// Below 5 s also on a busy machine, where timers are late.
const STILL_EVERY_MS = 2_500;

/**
 * Prints a sign of progress every few seconds while there is no other output.
 * @param {string} what such as `Building`
 * @returns {{ said: () => void, stop: () => void }} `said`: something else was printed
 */
export function stillAtIt(what) {
  const startedMs = Date.now();
  let saidMs = startedMs;
  const timer = setInterval(() => {
    if (Date.now() - saidMs < STILL_EVERY_MS - 500) return;
    console.log(`  ${what}, ${Math.round((Date.now() - startedMs) / 1000)} s so far…`);
    saidMs = Date.now();
  }, STILL_EVERY_MS);
  timer.unref();
  return {
    said: () => {
      saidMs = Date.now();
    },
    stop: () => clearInterval(timer),
  };
}

/** @param {number} startedMs */
export function elapsed(startedMs) {
  return `${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
}
