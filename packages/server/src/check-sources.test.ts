import { expect, test } from 'vitest';
import { checkSourcesOf } from './check-sources.js';

const checks = [{ name: 'unit', source: 'external' as const, reporters: ['jenkins'] }];
const sourcesOf = checkSourcesOf({ repositories: { 'acme/widgets': { checks, aliases: [] } } });
const repo = { host: 'forge', owner: 'Acme', name: 'Widgets' };

test('the checks of a repository are found in the letter case of the host, if the host ignores it', () => {
  const own = [{ name: 'unit', source: 'external', reporters: ['jenkins'], startTimeoutMs: null }];
  expect(sourcesOf({ ...repo, owner: 'acme', name: 'widgets' })).toEqual(own);
  expect(sourcesOf({ ...repo, ignoresCase: true })).toEqual(own);
  expect(sourcesOf(repo)).toEqual([]);
});

test('a letter that only looks like another one, or becomes one in lower case, names another repository', () => {
  const kelvin = checkSourcesOf({ repositories: { 'acme/kits': { checks, aliases: [] } } });
  for (const name of ['\u212Aits', 'k\u0131ts', 'k\u0130ts'])
    expect(kelvin({ ...repo, owner: 'acme', name, ignoresCase: true })).toEqual([]);
});
