import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { makeRepository, serverWith } from '../packages/server/test/server-process.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test('the ten calls of the README of the client do what they say at a real server', async () => {
  const server = await serverWith();
  await makeRepository(server.dataFolder, 'true', { good: 'good\n' });
  const readme = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8');
  const [, code = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const given = ['--conditions=mq-source', '--import=tsx', '--input-type=module', '-'];
  const child = spawn(process.execPath, given, {
    cwd: ROOT,
    env: { ...process.env, MQ_URL: server.url, MQ_TOKEN: server.token },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.stdin.end(ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }));
  const exitCode = await new Promise((done) => child.on('close', done));

  expect(output).toContain('#1 ended as merged\n0 in the queue\n#1 landed as ');
  expect(output).toMatch(/^queue\.changed main\nALREADY_MERGED: .* \(status 409, request \S+\)$/m);
  expect(exitCode).toBe(0);
});

/** What browsers, workers and Node have in common. */
const webGlobals = () => ({
  ...{ AbortController, AbortSignal, Headers, Response, URL, URLSearchParams, TextDecoder, TextEncoder },
  ...{ ReadableStream, crypto, setTimeout, clearTimeout },
});

test('the client bundles without built-in modules, and runs with the globals of the web alone', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'packages/client/src/index.ts')],
    bundle: true,
    platform: 'neutral',
    format: 'iife',
    globalName: 'mqClient',
    write: false,
  });
  const asked: string[] = [];
  const context = createContext({
    ...webGlobals(),
    fetch: async (input: URL) => {
      asked.push(String(input));
      return new Response('{"name":"ci"}');
    },
  });

  const answer = await runInContext(
    `${outputFiles[0]?.text}; mqClient.createClient({ url: 'https://mq.example', token: 't' }).whoami({})`,
    context,
  );

  expect(asked).toEqual(['https://mq.example/v1/whoami']);
  expect(answer.name).toBe('ci');
});
