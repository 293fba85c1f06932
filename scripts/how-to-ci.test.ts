import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '@mq/http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const page = readFileSync(new URL('../docs/how-to/use-your-ci.md', import.meta.url), 'utf8');

/** The first code block behind a text. */
const blockAfter = (text: string): string =>
  /^```\w+\n([\s\S]*?)^```/m.exec(page.split(text)[1] ?? '')?.[1] ?? '';

const RUN = '0198c0de-0000-7000-8000-000000000001';
const COMMIT = 'a'.repeat(40);

interface Report {
  readonly token: string | undefined;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A service that takes every report, and answers all else with this. */
const service = async (other: object = {}) => {
  const reports: Report[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const [token, path = ''] = [request.headers['x-api-token'], request.url];
      if (path !== '/v1/reportCheck') return response.end(JSON.stringify(other));
      reports.push({ token: String(token), path, body: JSON.parse(text) });
      return response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  return { reports, url: `http://127.0.0.1:${address.port}` };
};

const shell = async (
  folder: string,
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<number> => {
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', MQ_TOKEN: 'the-token', ...env },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'close');
  return code as number;
};

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-how-to-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Runs the shell script of the page until it has reported an end, in a folder where another commit was checked out. */
const shellReports = async (tests: string): Promise<readonly Report[]> => {
  const expected = { ...about, ref: `refs/mq/candidates/${RUN}`, reportToken: 'the-report-token' };
  const { reports, url } = await service({ expectedChecks: [expected] });
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'work'));
  const child = spawn('sh', ['-c', blockAfter('## A shell script').replace('npm ci && npm test', tests)], {
    ...{ cwd: folder, detached: true, stdio: 'ignore' },
    env: {
      PATH: process.env.PATH ?? '',
      MQ_TOKEN: 'the-token',
      MQ_URL: url,
      MQ_REPOSITORY: join(folder, 'gone'),
    },
  });
  onTestFinished(() => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')));
  await expect.poll(() => reports.some(({ body }) => body['status'] === 'completed')).toBe(true);
  return reports;
};

const isReport = (body: unknown): boolean => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...openApiDocument(), $id: 'mq' });
  return ajv.compile({ $ref: 'mq#/components/schemas/ReportCheckRequest' })(body);
};

const about = {
  repo: { host: 'local', owner: 'acme', name: 'widgets' },
  check: 'unit',
  testRunId: RUN,
  commit: COMMIT,
};

const runsOf = {
  Buildkite: async (url: string, tests: string): Promise<void> => {
    const { steps } = parse(blockAfter('**Buildkite**'));
    // Buildkite replaces `$$` with `$` before the agent's shell sees it.
    const script = String(steps[0].command)
      .replaceAll('$$', () => '$')
      .replace('npm ci && npm test', tests);
    const env = {
      ...{ BUILDKITE_BRANCH: `mq/pr-7/${RUN}`, BUILDKITE_COMMIT: COMMIT },
      BUILDKITE_BUILD_URL: 'https://buildkite.example/7',
    };
    await shell(temporaryFolder(), script, { MQ_URL: url, ...env });
  },
  'GitHub-style runners': async (url: string, tests: string): Promise<void> => {
    const { jobs } = parse(blockAfter('**GitHub-style runners**'));
    const folder = temporaryFolder();
    const env = {
      ...{ MQ_URL: url, GITHUB_REF_NAME: `mq/pr-7/${RUN}`, GITHUB_SHA: COMMIT, GITHUB_RUN_ID: '7' },
      ...{ GITHUB_SERVER_URL: 'https://forge.example', GITHUB_REPOSITORY: 'acme/widgets' },
    };
    let status = 'success';
    for (const step of jobs.unit.steps) {
      if (step.run === undefined || (status === 'failure' && step.if !== 'always()')) continue;
      const script = String(step.run)
        .replace('npm ci && npm test', tests)
        .replaceAll(`\${{ job.status }}`, () => status);
      if ((await shell(folder, script, env)) !== 0) status = 'failure';
    }
  },
};

test.each(
  Object.entries(runsOf).flatMap(([name, run]) =>
    (
      [
        ['true', 'success'],
        ['false', 'failure'],
      ] as const
    ).map((ends) => [name, ...ends, run] as const),
  ),
)('the steps for %s report the beginning, and %s as %s', async (_, tests, conclusion, run) => {
  const { reports, url } = await service();
  await run(url, tests);

  expect(reports.map(({ path, token }) => [path, token])).toEqual([
    ['/v1/reportCheck', 'the-token'],
    ['/v1/reportCheck', 'the-token'],
  ]);
  expect(reports.map(({ body }) => body)).toMatchObject([
    { ...about, status: 'running' },
    { ...about, status: 'completed', conclusion },
  ]);
  expect(reports.map(({ body }) => isReport(body))).toEqual([true, true]);
});

test('the shell script reports a commit that it cannot fetch as an infrastructure failure, and tests no other', async () => {
  const [running, ended] = await shellReports('true');
  expect([running?.token, ended?.token]).toEqual(['the-report-token', 'the-report-token']);
  expect(running?.body).toEqual({ ...about, status: 'running' });
  expect(ended?.body).toEqual({ ...about, status: 'completed', conclusion: 'infrastructure' });
  expect(isReport(ended?.body)).toBe(true);
});

test('the pipeline for Jenkins sends the fields of a report, and by the same request', () => {
  const pipeline = blockAfter('**Jenkins**');
  const body = /def body = \[([\s\S]*?)\] \+ state/.exec(pipeline)?.[1] ?? '';
  const fields = [...body.matchAll(/(?:^|[,\s])(\w+): /g)].map(([, name]) => name);
  expect(fields.filter((name) => !['host', 'owner', 'name'].includes(name ?? ''))).toEqual([
    ...['repo', 'check', 'testRunId', 'commit', 'url'],
  ]);
  const states = [...pipeline.matchAll(/report\(\[(.*?)\]\)/g)].map(([, state = '']) =>
    Object.fromEntries([...state.matchAll(/(\w+): '(\w+)'/g)].map(([, key, value]) => [key, value])),
  );
  expect(states.map((state) => isReport({ ...about, ...state }))).toEqual([true, true, true, true]);
  expect(pipeline).toContain('-d @report.json "$MQ_URL/v1/reportCheck"');
});
