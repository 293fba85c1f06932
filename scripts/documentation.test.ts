import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { nextSteps } from '../packages/server/src/next-steps.js';
import { makeRepository } from '../packages/server/test/server-process.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const pages = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : pages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

/** As headings become anchors: lower case, without signs, with dashes for spaces. */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(pages('.'))('the links of %s lead somewhere', (page) => {
  const broken = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path);
    if (!existsSync(target) || relative(ROOT, target).startsWith('..')) return [link];
    return anchor === undefined || anchorsIn(readFileSync(target, 'utf8')).includes(anchor) ? [] : [link];
  });
  expect(broken).toEqual([]);
});

const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );

test('the table of the steps names the rules in the order in which they are called', () => {
  const source = read('packages/core/src/decide/decide.ts');
  const bodyOf = (name: string) => source.split(`const ${name} = `)[1]?.split('\n};')[0] ?? '';
  const turns = [...source.matchAll(/^const \w+: readonly Rule\[\] = \[\n(.*?)\];/gms)].map(
    ([, list]) => list,
  );
  const rules = bodyOf('applyRules')
    .replace(/^ {6}inTurns\(.*$/m, turns.join('').replace(/^ {2}(\w+),/gm, '\n  $1(draft);'))
    .replace('changes(draft, land)', '\n  land(draft);\n')
    .replace('changes(draft, applySlotRules)', bodyOf('applySlotRules'));
  const called = [...rules.matchAll(/^.* (\w+)\(draft\);/gm)].map(([, name]) => name);
  const [, table = ''] = read('docs/explanation/how-it-decides.md').split(/^## The steps.*$|^## The line$/m);
  const listed = [...table.matchAll(/^\| (`.*`) \|/gm)].flatMap(([, names = '']) =>
    names.replaceAll('`', '').split(', '),
  );
  expect(listed).toEqual(['begin', 'applyCommand', 'applyFact', ...called, 'ask']);
});

test('the commands of the tutorial are those that the server prints', () => {
  const steps = nextSteps({
    url: 'http://127.0.0.1:8787',
    token: 'mqt_…',
    repository: '/home/you/mq/.mq/repos/acme/widgets.git',
    command: 'node /home/you/mq/packages/cli/dist/mq.js',
  });
  expect(blocks('docs/tutorial/first-merge.md', 'bash')).toEqual(
    steps.map(({ commands }) => `${commands}\n`),
  );
});

test('the code of the README merges a pull request when it is run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await makeRepository(folder, 'true', { good: 'good\n' });
  const [code = ''] = blocks('README.md', 'ts');
  const runnable = code
    .replace("'repos'", JSON.stringify(join(folder, 'repos')))
    .replace('test -s README.md', 'true');
  expect(runnable).not.toContain("'repos'");
  const { said } = running(runnable);
  await said(/^#1 merged$/m);
});

test.each(['packages/core/README.md', 'packages/store-memory/README.md'])(
  'the code of %s runs to its end',
  async (page) => {
    const [code = ''] = blocks(page, 'ts');
    expect(await running(code).ended).toMatchObject({ exitCode: 0 });
  },
);

/** Code of a page in a process of its own, which ends with the test. */
const running = (code: string) => {
  const given = ['--conditions=mq-source', '--import=tsx', '--input-type=module', '-'];
  const child = spawn(process.execPath, given, { cwd: ROOT });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const ended = new Promise<{ readonly exitCode: number | null; readonly output: string }>((done) => {
    child.on('close', (exitCode) => done({ exitCode, output }));
  });
  const said = (words: RegExp) =>
    new Promise<void>((done, fail) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', () => {
          if (words.test(output)) done();
        });
      void ended.then(() => fail(new Error(output)));
    });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.stdin.end(code);
  return { ended, said };
};

/** The declarations that short snippets in guides assume. */
const GIVEN = `
import type { MergeQueue, QueueRef, Sha } from '@mq/core';
declare const mq: MergeQueue;
declare const queue: QueueRef;
declare const head: Sha;
declare const sha: Sha;
declare const claimed: readonly string[];
`;
const inPassing = ['docs/how-to/find-out-why-it-waits.md', 'docs/how-to/upload-impacted-targets.md'];

test('the code of the pages fits the types of the packages', () => {
  const pages = [
    'README.md',
    'docs/how-to/embed-in-a-bot.md',
    'packages/client/README.md',
    'packages/core/README.md',
    'packages/store-memory/README.md',
    'packages/store-postgres/README.md',
    'packages/host-git/README.md',
    'packages/server/README.md',
    'packages/webhooks/README.md',
    ...inPassing,
  ];
  const codes = new Map(
    pages.map((page) => [
      join(ROOT, dirname(page), `code-of-${basename(page)}.ts`),
      [inPassing.includes(page) ? GIVEN : '', ...blocks(page, 'ts')].join('\n'),
    ]),
  );
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => codes.has(path) || fileExists(path);
  host.getSourceFile = (path, version, ...rest) => {
    const code = codes.get(path);
    return code === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, code, version);
  };
  const program = ts.createProgram([...codes.keys()], { ...options, noUnusedLocals: false }, host);
  const faults = [...codes.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
  expect(codes.size).toBe(pages.length);
  expect(faults).toEqual([]);
});
