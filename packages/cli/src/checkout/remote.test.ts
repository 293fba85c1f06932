import { describe, expect, test } from 'vitest';
import { folderOf, repoIn, repoOfRemote } from './remote.js';
import { targetsOfPaths } from './target-globs.js';

const acme = (host: string) => ({ host, owner: 'acme', name: 'widgets' });

describe('the remote of a checkout', () => {
  test.each([
    ['git@github.com:acme/widgets.git', acme('github.com')],
    ['ssh://git@GitHub.com:22/acme/widgets', acme('github.com')],
    ['https://user:secret@git.example/acme/widgets.git/', acme('git.example')],
    [
      'https://git.example/group/acme/widgets.git',
      { host: 'git.example', owner: 'group/acme', name: 'widgets' },
    ],
    ['/srv/mq/repos/acme/widgets.git', acme('local')],
    ['file:///srv/mq/repos/acme/widgets.git', acme('local')],
    ['../repos/acme/widgets.git', acme('local')],
    ['/srv/git/acme/widgets.git', acme('local')],
    ['https://git.example/widgets', null],
    ['ext::sh -c evil', null],
    ['', null],
  ])('%s names its repository', (url, expected) => {
    expect(repoOfRemote(url, '/home/ada/work')).toEqual(expected);
  });

  test('the remote of a checkout is a folder of this machine only if it is a path', () => {
    expect(folderOf('../widgets.git', '/home/ada/work')).toBe('/home/ada/widgets.git');
    expect(folderOf('file:///srv/widgets.git', '/')).toBe('/srv/widgets.git');
    expect(folderOf('git@github.com:acme/widgets.git', '/')).toBeNull();
    expect(folderOf('https://github.com/acme/widgets', '/')).toBeNull();
  });
});

test('a repository is given with its host, or with that of the checkout', () => {
  expect(repoIn('github.com/acme/widgets', null)).toEqual(acme('github.com'));
  expect(repoIn('acme/widgets', acme('git.example'))).toEqual(acme('git.example'));
  expect(repoIn('acme/widgets', null)).toEqual(acme('local'));
  expect(repoIn('widgets', null)).toBeNull();
  expect(repoIn('acme//widgets', null)).toBeNull();
});

describe('targets of paths', () => {
  const lines = ['api/** //api', 'web/*.ts //web', '**/*.md //docs'];

  test('targets of paths are those of every glob that matches', () => {
    expect(targetsOfPaths(lines, ['api/a/b.ts', 'web/x.ts', 'README.md', 'api/README.md'])).toEqual([
      '//api',
      '//docs',
      '//web',
    ]);
  });

  test('targets of paths are all targets if a path matches no glob', () => {
    expect(targetsOfPaths(lines, ['api/a.ts', 'web/deep/x.ts'])).toBe('ALL');
  });

  test('targets of paths are none if nothing changes', () => {
    expect(targetsOfPaths(lines, [])).toEqual([]);
  });

  test('a line without a target is refused', () => {
    expect(() => targetsOfPaths(['api/**'], [])).toThrow('is not a line of a glob and a target');
  });
});
