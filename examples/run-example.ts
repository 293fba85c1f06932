import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs an example from its sources, as `npm run example <name>` does, and answers all that it printed. */
export const runExample = (
  name: string,
): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL(`${name}/main.ts`, import.meta.url));
    const child = spawn(process.execPath, ['--conditions=mq-source', '--import=tsx', main], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
