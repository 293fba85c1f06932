import { expect, test } from 'vitest';
import type { Io } from './io.js';
import { runMq } from './run.js';

/** Runs a command line outside of any checkout and, unless `env` names one, without a server. */
const run = (...args: readonly string[]) => runWith({}, ...args);

const runWith = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
  const said = { stdout: '', stderr: '' };
  const io: Io = {
    ...{ env: { PATH: '', HOME: '/none', ...env }, cwd: '/', isInputTerminal: false },
    out: (text) => {
      said.stdout += text;
    },
    err: (text) => {
      said.stderr += text;
    },
    ...{ terminal: () => null, onResize: () => () => {}, now: () => 0 },
    ...{ input: async () => '', question: async () => null, interrupted: new AbortController().signal },
  };
  return { exitCode: await runMq(args, io, '1.0.0'), ...said };
};

test.each([
  [['nope'], "mq: Unknown command 'nope'. (USAGE_WRONG)", 'mq --help'],
  [['sumbit'], 'Did you mean submit?', 'mq --help'],
  [['queue', 'nope'], 'Unknown command', 'mq queue --help'],
  [['status', '--wrong'], 'Unknown option', 'mq status --help'],
  [['targets', 'set', '9', '//a'], 'Too many arguments', 'mq targets set --help'],
  [['wait', '1', '--until', 'later'], 'Allowed choices are', 'mq wait --help'],
])('%j is refused with the help of its command', async (args, message, help) => {
  const ended = await run(...args);
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).toContain(`${help} shows how it is used.`);
});

test('a wrong command line answers --json with its failure', async () => {
  const { stdout } = await run('queue', 'set', '--wrong', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ server: null, repo: null, targetBranch: null, pr: null },
    error: { code: 'USAGE_WRONG', remedy: 'mq queue set --help shows how it is used.', status: null },
  });
});

test('a number alone is neither taken as a priority nor as a pull request', async () => {
  const ended = await run('priority', '12');
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('12 alone may be a pull request or a priority. (PRIORITY_WRONG)');
  expect(ended.stderr).toContain('mq priority 12 high, or mq priority <number> 12');
});

const server = { MQ_URL: 'http://127.0.0.1:1', MQ_TOKEN: 'token' };

test.each([
  [['token', 'create', 'ci'], 'The token would have no scope', 'for example --scope read'],
  [
    ['queue', 'apply', 'none.json'],
    'none.json cannot be read: there is no such file. (FILE_WRONG)',
    'one relative to /.',
  ],
  [['receipts', 'verify', '--file', 'none'], 'there is no such file. (FILE_WRONG)', 'one relative to /.'],
  [['targets', 'set', '1', '--file', 'none'], 'there is no such file. (FILE_WRONG)', 'one relative to /.'],
  [['queue', 'freeze', '1969-12-31', '--repo', 'local/a/b', '--branch', 'main'], 'has passed', '2h, 18:00'],
])('%j is refused before the server is asked, with what to do', async (args, message, remedy) => {
  const ended = await runWith(server, ...args);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).toContain(remedy);
});
