import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { published, tarballOf } from './pack.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A folder with the clone as `mq`, and an empty project beside it: so the README names them. */
const world = mkdtempSync(join(tmpdir(), 'mq-tarballs-'));
const project = join(world, 'project');
afterAll(() => rmSync(world, { recursive: true, force: true }));

/** What git and npm ask of the user's own configuration; npm takes from its cache what is there. */
const environment = {
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
  ...{ npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
};

const run = async (program: string, ...args: readonly string[]): Promise<string> => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|node_options|vitest)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), ...environment };
  const told = await promisify(execFile)(program, args, { cwd: project, env }).catch(
    (error: { readonly stdout: string; readonly stderr: string; readonly message: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
  return told.stdout;
};

/** The blocks under "Embed it", in their order. */
const blocksOf = (language: string): readonly string[] => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('\n## Embed it'), readme.indexOf('\n## The ladder'));
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, of, code = '']) =>
    of === language ? [code] : [],
  );
};

const [install = '', repository = '', start = ''] = blocksOf('sh');
const [snippet = ''] = blocksOf('ts');

const manifestIn = async (tarball: string): Promise<string> =>
  run('tar', '-xzOf', join(ROOT, tarball), 'package/package.json');

const typeCheck = async (file: string, resolution: 'node16' | 'bundler'): Promise<string> => {
  const module = resolution === 'node16' ? 'node16' : 'esnext';
  const options = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node'];
  return run('npx', 'tsc', ...options, '--module', module, '--moduleResolution', resolution, file);
};

beforeAll(async () => {
  mkdirSync(project);
  symlinkSync(ROOT, join(world, 'mq'));
  await run('sh', '-ec', install);
});

describe('the tarballs of `npm run pack`, in an empty project', () => {
  beforeAll(() => writeFileSync(join(project, 'embed.ts'), snippet));

  test.each(published())('%s depends on versions, and on nothing of this workspace', async (name) => {
    const manifest = await manifestIn(tarballOf(name));

    expect(JSON.parse(manifest)).toMatchObject({ name, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(manifest).not.toMatch(/workspace:|catalog:|mq-source/);
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
    'can be imported, and pass the type check with moduleResolution %s',
    async (resolution) => {
      const names = published();
      const imports = names.map((name, index) => `import * as p${index} from '${name}';`);
      const code = [...imports, `console.log([${names.map((_, index) => `p${index}`).join(', ')}].length);`];
      writeFileSync(join(project, 'all.ts'), code.join('\n'));

      expect(await typeCheck('all.ts', resolution)).toBe('');
      expect((await run('npx', 'tsx', 'all.ts')).trim()).toBe(String(names.length));
    },
  );

  test('bring the command mq-server', async () => {
    expect(await run('npx', 'mq-server', '--help')).toContain('MQ_DATA');
  });
});
