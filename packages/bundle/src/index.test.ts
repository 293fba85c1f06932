import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s leaves no bundle in the folder for temporary files',
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'mq-bundle-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const entry = join(folder, 'entry.ts');
    writeFileSync(entry, 'export const one = 1;\n');
    const index = fileURLToPath(new URL('./index.ts', import.meta.url));
    const program = `import { bundle } from ${JSON.stringify(index)}; const { path } = await bundle(${JSON.stringify(entry)}); console.log(path); setInterval(() => {}, 1000);`;
    const args = ['--import=tsx', '--input-type=module', '--eval', program];
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: folder } });
    const [path] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    expect(existsSync(path.trim())).toBe(true);
    child.kill(signal);

    expect(await once(child, 'close')).toEqual([null, signal]);
    expect(readdirSync(folder).filter((name) => name.startsWith('mq-bundle-'))).toEqual([]);
  },
);
