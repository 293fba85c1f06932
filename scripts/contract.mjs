import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main, ROOT } from './machine.mjs';

// Reads the OpenAPI document with the linters and generators that clients use: npm run contract

const TOOLS = join(ROOT, 'packages/http/contract');
const DOCUMENT = join(ROOT, 'docs/reference/openapi.json');
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/**
 * Runs one tool; its output is a finding if it matches `warning`, or if the tool fails.
 * @param {string} name
 * @param {readonly string[]} argv
 * @param {{ cwd?: string, warning?: RegExp }} [options]
 * @returns {boolean} whether all is well
 */
function reads(name, [command = '', ...args], { cwd = TOOLS, warning } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const output = `${stdout}${stderr}${error?.message ?? ''}`;
  const isWell = status === 0 && !(warning?.test(output) ?? false);
  console.log(isWell ? `✔ ${name}` : `✖ ${name}\n${output}`);
  return isWell;
}

/** @param {string} command */
const isThere = (command) => spawnSync(command, ['--help']).error === undefined;

/** @param {string} name */
const tool = (name) => join(TOOLS, 'node_modules/.bin', name);

/** @param {string} folder */
const compiles = (folder) =>
  reads('what they wrote compiles', [
    tool('tsc'),
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    ...sourcesIn(folder),
  ]);

/** @param {string} folder */
const sourcesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));

/** @param {string} folder */
function go(folder) {
  if (!isThere('go')) return leftOut('oapi-codegen', 'Go');
  writeFileSync(join(folder, 'go.mod'), 'module mq\n\ngo 1.24\n');
  const config = join(TOOLS, 'oapi-codegen.yaml');
  return [
    reads('oapi-codegen', ['go', 'run', OAPI_CODEGEN, '-config', config, '-o', 'mq.go', DOCUMENT], {
      cwd: folder,
      warning: /warning/i,
    }),
    reads('its modules', ['go', 'mod', 'tidy'], { cwd: folder }),
    reads('what it wrote compiles', ['go', 'vet', '.'], { cwd: folder }),
  ];
}

/** @param {string} folder */
function python(folder) {
  if (!isThere('python3')) return leftOut('openapi-python-client', 'Python');
  const venv = join(folder, 'venv');
  const bin = join(venv, 'bin');
  const client = join(folder, 'client');
  return [
    reads('a virtual environment', ['python3', '-m', 'venv', venv]),
    reads('its packages', [join(bin, 'pip'), 'install', '--quiet', '--requirement', 'requirements.txt']),
    reads(
      'openapi-python-client',
      [
        join(bin, 'openapi-python-client'),
        ...[
          'generate',
          '--fail-on-warning',
          '--path',
          DOCUMENT,
          '--output-path',
          client,
          '--config',
          'python.yaml',
        ],
      ],
      { warning: /^WARNING/m },
    ),
    reads('what it wrote compiles', [join(bin, 'python'), '-W', 'error', '-m', 'compileall', '-q', client]),
    onlyOne(client, 'repository.py'),
  ];
}

/**
 * @param {string} folder
 * @param {string} file
 */
function onlyOne(folder, file) {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|[/_])repo(sitory)?\.py$/.test(path),
  );
  const isWell = found.length === 1 && found[0]?.endsWith(file) === true;
  console.log(isWell ? '✔ one class stands for a repository' : `✖ a repository is ${found.join(', ')}`);
  return isWell;
}

/**
 * @param {string} name
 * @param {string} needed
 */
function leftOut(name, needed) {
  console.log(`– ${name} is left out: it needs ${needed}.`);
  return [];
}

main(async () => {
  if (!existsSync(DOCUMENT) || readFileSync(DOCUMENT, 'utf8') === '') return 1;
  const folder = mkdtempSync(join(tmpdir(), 'mq-contract-'));
  try {
    if (!reads('the tools', ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'])) return 1;
    const types = join(folder, 'types');
    const results = [
      reads('Redocly', [tool('redocly'), 'lint', DOCUMENT], { warning: /\d+ (?:warning|error)/ }),
      reads('Spectral', [
        tool('spectral'),
        'lint',
        '--ruleset',
        'spectral.yaml',
        '--fail-severity',
        'hint',
        DOCUMENT,
      ]),
      reads(
        'openapi-typescript',
        [tool('openapi-typescript'), DOCUMENT, '--output', join(types, 'openapi.ts')],
        {
          warning: /warn/i,
        },
      ),
      reads(
        '@hey-api/openapi-ts',
        [tool('openapi-ts'), '--input', DOCUMENT, '--output', join(types, 'client'), '--logs', folder],
        { warning: /warn/i },
      ),
      compiles(types),
      ...go(mkdtempSync(join(folder, 'go-'))),
      ...python(mkdtempSync(join(folder, 'python-'))),
    ];
    return results.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
