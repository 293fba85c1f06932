import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './ensure.mjs';
import { main, Problem, ROOT } from './machine.mjs';

// Sends requests made from the OpenAPI document by Schemathesis: npm run fuzz [-- --max-examples 2000]

const TOOLS = join(ROOT, 'packages/http/contract');
const TOKEN = 'the-token-of-a-fuzzing-run';

/** @param {string} folder */
function schemathesisIn(folder) {
  const bin = join(folder, 'venv/bin');
  const made = spawnSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'inherit' });
  if (made.status !== 0)
    throw new Problem('Python 3.11 with venv was not found.', 'Install it; nothing else needs it.');
  const requirements = join(TOOLS, 'requirements-fuzz.txt');
  const got = spawnSync(join(bin, 'pip'), ['install', '--quiet', '--requirement', requirements], {
    stdio: 'inherit',
  });
  if (got.status !== 0) throw new Problem('Schemathesis could not be installed.', 'See what pip says above.');
  return join(bin, 'schemathesis');
}

/**
 * @param {string} document
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
function serve(document) {
  const entry = join(ROOT, 'packages/http/test/fuzz/server.ts');
  const child = spawn(process.execPath, ['--conditions=mq-source', '--import=tsx', entry, TOKEN, document], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.stdout.once('data', (text) => resolve({ url: String(text).trim(), stop: () => child.kill() }));
  });
}

main(async () => {
  await ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'mq-fuzz-'));
  const document = join(folder, 'openapi.json');
  const { url, stop } = await serve(document);
  try {
    const tool = process.env.SCHEMATHESIS ?? schemathesisIn(folder);
    const { status } = spawnSync(
      tool,
      [
        ...['--config-file', join(TOOLS, 'schemathesis.toml'), 'run', document, '--url', `${url}/v1`],
        ...['--header', `x-api-token: ${TOKEN}`, ...process.argv.slice(2)],
      ],
      {
        cwd: folder,
        stdio: 'inherit',
        env: {
          ...process.env,
          ...{ MQ_FUZZ_DOCUMENT: document, PYTHONPATH: TOOLS, SCHEMATHESIS_HOOKS: 'fuzz_hooks' },
          PYTHONDONTWRITEBYTECODE: '1',
        },
      },
    );
    return status ?? 1;
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
