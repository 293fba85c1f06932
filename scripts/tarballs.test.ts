import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { importable, packedSize, packedSizes, published, tarballOf } from './pack.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A folder with the clone as `mq` and, beside it, an empty project for each page, as the pages name them. */
const world = mkdtempSync(join(tmpdir(), 'mq-tarballs-'));
afterAll(() => rmSync(world, { recursive: true, force: true }));

/** A newcomer has no configuration of git or npm. npm takes from its cache what is there. */
const environment = {
  ...{ HOME: join(world, 'home'), GIT_CONFIG_NOSYSTEM: '1' },
  ...{ npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm') },
  ...{ npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
};

const runIn = async (folder: string, program: string, ...args: readonly string[]): Promise<string> => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|node_options|vitest|git_)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), ...environment };
  const result = await promisify(execFile)(program, args, { cwd: join(world, folder), env }).catch(
    (error: { readonly stdout: string; readonly stderr: string; readonly message: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
  return result.stdout;
};

const run = (program: string, ...args: readonly string[]): Promise<string> =>
  runIn('project', program, ...args);

/** The output of a program up to `words`. The program is then ended as by Ctrl-C. */
const endedAfter = async (words: string, folder: string, file: string) => {
  const env = { ...process.env, ...environment };
  const cwd = join(world, folder);
  const child = spawn(process.execPath, ['--import=tsx', file], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      const hadSaid = printed.includes(words);
      printed += text;
      if (!hadSaid && printed.includes(words)) child.kill('SIGINT');
    });
  const exitCode = await new Promise<number | null>((done) => child.on('close', done));
  return { printed, exitCode };
};

const linesOf = (text: string): readonly string[] => text.trim().split('\n');

/** A line without what differs with each run: ids, commits and durations. */
const shapeOf = (line: string): string =>
  line.replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b|\b\d+ s\b/g, '…');

/** The blocks of a page, or of the part of it that `section` begins, in their order. */
const blocksOf = (page: string, language: string, section = ''): readonly string[] => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const from = text.indexOf(section);
  const next = section === '' ? -1 : text.indexOf('\n## ', from + section.length);
  const part = text.slice(from, next === -1 ? undefined : next);
  return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, of, code = '']) =>
    of === language ? [code] : [],
  );
};

/** An empty folder beside the clone, in which the install commands of a page were run. */
const projectOf = async (folder: string, commands: string): Promise<string> => {
  mkdirSync(join(world, folder));
  await runIn(folder, 'sh', '-ec', commands);
  return join(world, folder);
};

const [install = '', repository = '', start = ''] = blocksOf('README.md', 'sh', '\n## Embed it');
const [snippet = ''] = blocksOf('README.md', 'ts', '\n## Embed it');
const project = join(world, 'project');

const manifestIn = async (tarball: string): Promise<string> =>
  run('tar', '-xzOf', join(ROOT, tarball), 'package/package.json');

const typeCheck = async (
  file: string,
  resolution: 'node16' | 'bundler',
  folder = 'project',
): Promise<string> => {
  const module = resolution === 'node16' ? 'node16' : 'esnext';
  const options = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node'];
  const resolved = ['--module', module, '--moduleResolution', resolution];
  return runIn(folder, 'npx', 'tsc', ...options, ...resolved, file);
};

beforeAll(async () => {
  mkdirSync(join(world, 'home'));
  symlinkSync(ROOT, join(world, 'mq'));
  await projectOf('project', install);
});

describe('the tarballs of `npm run pack`, in an empty project', () => {
  beforeAll(() => writeFileSync(join(project, 'embed.ts'), snippet));

  test.each(published())('%s depends on versions, and on nothing of this workspace', async (name) => {
    const manifest = await manifestIn(tarballOf(name));

    expect(JSON.parse(manifest)).toMatchObject({ name, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(manifest).not.toMatch(/workspace:|catalog:|mq-source/);
  });

  test.each(published())('%s is at most a tenth larger than `npm run pack` has recorded', (name) => {
    expect(packedSize(name)).toBeLessThanOrEqual(1.1 * (packedSizes()[name] ?? 0));
  });

  test.each(['node16', 'bundler'] as const)(
    'the example of the README passes the type check with moduleResolution %s',
    async (resolution) => {
      expect(await typeCheck('embed.ts', resolution)).toBe('');
    },
  );

  test('a wrong use of the library fails the type check', async () => {
    writeFileSync(join(project, 'wrong.ts'), snippet.replace('pr: 1', "pr: 'one'"));

    await expect(typeCheck('wrong.ts', 'node16')).rejects.toThrow('wrong.ts');
  });

  test('the example of the README merges its pull request, and ends', async () => {
    await run('sh', '-ec', repository);

    const printed = (await run('sh', '-ec', start)).trim().split('\n');

    expect(printed.at(-1)).toBe('#1 merged');
    const log = await run('git', '-C', 'repos/acme/widgets.git', 'log', '--format=%s', 'main');
    expect(log).toContain('Add a greeting');
  });
});

describe('all tarballs in one project', () => {
  beforeAll(async () => {
    await run('npm', 'install', ...published().map((name) => join('../mq', tarballOf(name))));
  });

  test.each(['node16', 'bundler'] as const)(
    'all tarballs in one project can be imported, and pass the type check with moduleResolution %s',
    async (resolution) => {
      const names = importable();
      const imports = names.map((name, index) => `import * as p${index} from '${name}';`);
      const code = [...imports, `console.log([${names.map((_, index) => `p${index}`).join(', ')}].length);`];
      writeFileSync(join(project, 'all.ts'), code.join('\n'));

      expect(await typeCheck('all.ts', resolution)).toBe('');
      expect((await run('npx', 'tsx', 'all.ts')).trim()).toBe(String(names.length));
    },
  );

  test('all tarballs in one project bring the command mq-server', async () => {
    expect(await run('npx', 'mq-server', '--help')).toContain('MQ_DATA');
  });
});

test('mq runs by npx from its tarball alone, without a registry, a cache or a project', async () => {
  mkdirSync(join(world, 'empty'));
  const offline = ['--yes', '--offline', `--cache=${join(world, 'empty-cache')}`];
  const npx = (...args: readonly string[]) =>
    runIn('empty', 'npx', ...offline, join('../mq', tarballOf('@mq/cli')), ...args);

  const shown = await npx('status', '--server', 'http://127.0.0.1:1', '--repo', 'local/acme/widgets').catch(
    (error: Error) => error.message,
  );

  expect(shown).toContain('mq login http://127.0.0.1:1');
  expect(await npx('pr', 'list').catch((error: Error) => error.message)).toContain('NO_BARE_REPOSITORY');
});

describe('docs/how-to/embed-in-a-bot.md, in an empty folder', () => {
  const page = 'docs/how-to/embed-in-a-bot.md';
  const [installing = '', making = '', starting = ''] = blocksOf(page, 'sh');

  beforeAll(async () => {
    const folder = await projectOf('bot', installing);
    writeFileSync(join(folder, 'bot.ts'), blocksOf(page, 'ts').join('\n'));
  });

  test.each(['node16', 'bundler'] as const)(
    'the bot passes the type check with moduleResolution %s',
    async (resolution) => {
      expect(await typeCheck('bot.ts', resolution, 'bot')).toBe('');
    },
  );

  test('the bot answers, prints each state, and ends on a signal', async () => {
    await runIn('bot', 'sh', '-ec', making);
    expect(starting).toBe('npx tsx bot.ts\n');

    const shown = linesOf(blocksOf(page, 'text').join(''));
    const { printed, exitCode } = await endedAfter(shown.at(-1) ?? '', 'bot', 'bot.ts');

    const lines = linesOf(printed);
    expect(lines.map(shapeOf)).toEqual(shown.map(shapeOf));
    expect(exitCode).toBe(0);
    expect(await runIn('bot', 'git', '-C', 'repos/acme/widgets.git', 'log', '--format=%s', 'main')).toContain(
      'Say it louder',
    );
  });
});

describe('docs/how-to/tell-a-story.md, in an empty folder', () => {
  const page = 'docs/how-to/tell-a-story.md';
  const [installing = '', starting = ''] = blocksOf(page, 'sh');
  const [file = '', ...bodies] = blocksOf(page, 'ts');

  beforeAll(async () => {
    const folder = await projectOf('stories', installing);
    const tests = bodies.map((body, index) => `test('body ${index + 1}', async () => {\n${body}});\n`);
    writeFileSync(join(folder, 'line.test.ts'), [file, ...tests].join('\n'));
  });

  test.each(['node16', 'bundler'] as const)(
    'its stories pass the type check with moduleResolution %s',
    async (resolution) => {
      expect(await typeCheck('line.test.ts', resolution, 'stories')).toBe('');
    },
  );

  test('its stories pass', async () => {
    const printed = await runIn('stories', 'sh', '-ec', starting);

    expect(stripVTControlCharacters(printed)).toContain(`${bodies.length + 1} passed`);
  });
});

describe('docs/how-to/write-a-code-host.md, in an empty folder', () => {
  const page = 'docs/how-to/write-a-code-host.md';
  const [installing = '', starting = ''] = blocksOf(page, 'sh');
  const [host = '', tests = ''] = blocksOf(page, 'ts');

  beforeAll(async () => {
    const folder = await projectOf('host', installing);
    writeFileSync(join(folder, 'my-host.ts'), host);
    writeFileSync(join(folder, 'my-host.test.ts'), tests);
  });

  test.each(['node16', 'bundler'] as const)(
    'its files pass the type check with moduleResolution %s',
    async (resolution) => {
      expect(await typeCheck('my-host.test.ts', resolution, 'host')).toBe('');
    },
  );

  test('the suite runs, and names the methods that are not written yet', async () => {
    const printed = await runIn('host', 'sh', '-ec', starting).catch((error: Error) => error.message);

    expect(printed).toContain('getBranch is not written yet');
    expect(stripVTControlCharacters(printed)).toMatch(/Tests +\d+ failed/);
  });
});
