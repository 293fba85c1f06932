import { describe, expect, test } from 'vitest';
import { Names, namesFault } from './names.js';

const repo = (host: string, owner: string, name: string) => ({ host, owner, name });

describe('the canonical name of a repository', () => {
  const names = new Names(
    ['local'],
    [
      { alias: repo('github.com', 'acme', 'widgets'), of: repo('local', 'platform', 'parts') },
      { alias: { host: 'github.com', owner: 'acme' }, of: { host: 'local', owner: 'platform' } },
      { alias: { host: 'git.example' }, of: { host: 'local' } },
    ],
  );

  test.each([
    [repo('local', 'acme', 'widgets'), repo('local', 'acme', 'widgets')],
    [repo('LOCAL', 'acme', 'widgets'), repo('local', 'acme', 'widgets')],
    [repo('github.com', 'acme', 'widgets'), repo('local', 'platform', 'parts')],
    [repo('GitHub.com', 'Acme', 'Widgets'), repo('local', 'platform', 'parts')],
    [repo('github.com', 'acme', 'Gadgets'), repo('local', 'platform', 'Gadgets')],
    [repo('git.example', 'team/a', 'b'), repo('local', 'team/a', 'b')],
    [repo('github.com', 'others', 'widgets'), repo('github.com', 'others', 'widgets')],
  ])('the canonical name of a repository of %j is %j', (asked, meant) => {
    expect(names.canonical(asked)).toEqual(meant);
  });

  test('a canonical name says whether its host ignores letter case, whatever the given one says', () => {
    const both = new Names(
      ['forge', 'local'],
      [{ alias: { host: 'old.example', owner: 'a' }, of: { host: 'forge', owner: 'b' } }],
      new Set(['forge']),
    );
    const forged = { ...repo('local', 'Acme', 'x'), ignoresCase: true } as const;
    expect(both.canonical(forged)).toEqual(repo('local', 'Acme', 'x'));
    const known = { ...repo('forge', 'Acme', 'x'), ignoresCase: true } as const;
    expect(both.canonical(repo('Forge', 'Acme', 'x'))).toEqual(known);
    expect(both.canonical(known)).toBe(known);
    expect(both.canonical(repo('old.example', 'A', 'X'))).toEqual({ ...known, owner: 'b', name: 'X' });
  });
});

test.each([
  [['local', 'Local'], []],
  [['local'], [{ alias: { host: 'local', owner: 'a' }, of: { host: 'local', owner: 'b' } }]],
  [['local'], [{ alias: { host: 'LOCAL' }, of: { host: 'local' } }]],
  [['local'], [{ alias: { host: 'github.com' }, of: { host: 'other' } }]],
  [['local'], [{ alias: { host: 'github.com', owner: 'a' }, of: { host: 'local' } }]],
  [['local', 'other'], [{ alias: { host: 'github.com' }, of: { host: 'local' } }]],
  [
    ['local'],
    [
      { alias: { host: 'github.com', owner: 'a' }, of: { host: 'local', owner: 'b' } },
      { alias: { host: 'github.com', owner: 'A' }, of: { host: 'local', owner: 'c' } },
    ],
  ],
])('hosts %j with aliases %j are refused', (hosts, aliases) => {
  expect(namesFault(hosts, aliases)).toEqual(expect.any(String));
  expect(() => new Names(hosts, aliases)).toThrow(TypeError);
});
