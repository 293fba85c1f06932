import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from './machine.mjs';

const SILENT_STEP_SECONDS = 6;
const SILENCE_LIMIT_MS = 5_000;

/** A clone with only the scripts, and a package manager whose steps print nothing for a while. */
const slowClone = (): { readonly folder: string; readonly bin: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const [bin, server] = [join(folder, 'bin'), join(folder, 'packages/server')];
  for (const made of [bin, join(server, 'dist')]) mkdirSync(made, { recursive: true });
  const manifest = { type: 'module', packageManager: 'pnpm@1.0.0' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(server, 'package.json'),
    JSON.stringify({ name: '@mq/server', type: 'module', scripts: { build: 'build' } }),
  );
  writeFileSync(join(server, 'dist/main.js'), "console.log('the server has started');\n");
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\nsleep ${SILENT_STEP_SECONDS}\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  return { folder, bin };
};

test('npm start is never silent for 5 s while it installs and builds, however long a step says nothing', async () => {
  const { folder, bin } = slowClone();
  const { npm_execpath: _, ...env } = process.env;
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: folder,
    env: { ...env, PATH: `${bin}:${process.env.PATH}` },
  });
  let [output, silenceMs, lastMs] = ['', 0, Date.now()];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      silenceMs = Math.max(silenceMs, Date.now() - lastMs);
      lastMs = Date.now();
      output += text;
    });
  expect(await once(child, 'close')).toEqual([0, null]);

  expect(output).toMatch(
    /^Installing[\s\S]*Installing, \d s so far…[\s\S]*Installed in [\s\S]*Building @mq\/server[\s\S]*Building, \d s so far…[\s\S]*Built in [\s\S]*the server has started\n$/,
  );
  expect(silenceMs).toBeLessThan(SILENCE_LIMIT_MS);
});
