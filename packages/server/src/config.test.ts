import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config.js';
import { StartProblem } from './problem.js';

const folderWith = (config?: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (config !== undefined)
    writeFileSync(
      join(folder, 'mq.config.json'),
      typeof config === 'string' ? config : JSON.stringify(config),
    );
  return folder;
};

const remedyOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig({ MQ_DATA: folderWith(), ...env });
  } catch (error) {
    if (error instanceof StartProblem) return `${error.message}\n${error.remedy}`;
    throw error;
  }
  throw new Error('it was accepted');
};

test('nothing needs to be configured', () => {
  const config = readConfig({ PORT: '', MQ_TOKEN: '' });
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8787, isTokenMadeUp: true, logLevel: 'info' });
  expect(config.dataFolder).toBe(join(process.cwd(), '.mq'));
  expect(readConfig({}).token).not.toBe(config.token);
});

test.each(['eighty', '-1', '1e3', '65536', ' 80', '8787x'])('a PORT of "%s" is a fault', (PORT) => {
  expect(remedyOf({ PORT })).toContain('PORT: must be a whole number from 0 to 65535');
});

test('every fault of the environment is listed, and no token', () => {
  const said = remedyOf({ PORT: 'x', MQ_LOG_LEVEL: 'loud', MQ_TOKEN: 'two words' });
  for (const name of ['PORT', 'MQ_LOG_LEVEL', 'MQ_TOKEN']) expect(said).toContain(`${name}: `);
  expect(said).not.toContain('two words');
});

test('every fault of the configuration file is listed', () => {
  const checks = [
    { name: 'unit', command: 'true' },
    { name: 'unit', command: 'false', timeoutSeconds: 0 },
  ];
  const MQ_DATA = folderWith({
    colour: 'red',
    ci: { concurrency: 0 },
    repositories: { widgets: {}, 'acme/a': { checks }, 'acme/b': { path: 'relative' } },
    publicUrl: 'ftp://example.org',
  });
  const said = remedyOf({ MQ_DATA });
  for (const word of [
    'colour',
    'ci → concurrency',
    'widgets',
    'timeoutSeconds',
    'absolute path',
    'publicUrl',
  ])
    expect(said).toContain(word);
});

test('two checks of one name are a fault', () => {
  const checks = [1, 2].map((count) => ({ name: 'unit', command: `exit ${count}` }));
  expect(remedyOf({ MQ_DATA: folderWith({ repositories: { 'acme/a': { checks } } }) })).toContain(
    'two checks of one name',
  );
});

test('a file that is no JSON, or that was named and is not there, is a fault', () => {
  expect(remedyOf({ MQ_DATA: folderWith('{ // }') })).toContain('mq.config.json is no JSON');
  expect(remedyOf({ MQ_CONFIG: '/nowhere/mq.json' })).toContain('/nowhere/mq.json cannot be read (ENOENT)');
});

test('a pace that is set stays beside the one that suits a local host', () => {
  const { pace } = readConfig({ MQ_DATA: folderWith({ pace: { pollChecksMs: 500 } }) });
  expect(pace).toMatchObject({ pollChecksMs: 500, pollBranchMs: 2_000 });
});
