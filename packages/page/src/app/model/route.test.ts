import { expect, test } from 'vitest';
import { pullPath, queuePath, resolvedPath, routeOf } from './route.js';

const ref = { repo: { host: 'local', owner: 'acme/tools', name: 'shop' }, targetBranch: 'release/1' };

test('the path of a pull request is read as it was written, with slashes in owner and branch', () => {
  expect(routeOf(pullPath(ref, 41))).toEqual({ view: 'pull', ref, pr: 41 });
  expect(routeOf(queuePath(ref))).toEqual({ view: 'queue', ref, part: 'line' });
  expect(routeOf(queuePath(ref, 'history'))).toEqual({ view: 'queue', ref, part: 'history' });
  expect(routeOf('')).toEqual({ view: 'queues' });
});

test('a path whose slashes are not encoded is resolved by the queues that exist', () => {
  const route = routeOf('local/acme/tools/shop/release/1/41');
  expect(route.view).toBe('unresolved');
  const words = route.view === 'unresolved' ? route.words : [];
  expect(resolvedPath(words, [ref])).toBe(pullPath(ref, 41));
  expect(resolvedPath(words, [])).toBeNull();
});

test('of two queues at the beginning of a path the one with the shorter branch is meant, whatever their order', () => {
  const words = 'local/acme/tools/shop/release/1/41'.split('/');
  const longer = { ...ref, targetBranch: 'release/1/41' };
  for (const queues of [
    [ref, longer],
    [longer, ref],
  ])
    expect(resolvedPath(words, queues)).toBe(pullPath(ref, 41));
  expect(resolvedPath(words, [longer])).toBe(queuePath(longer));
});

test('a broken escape and a number that is none lead to no view', () => {
  expect(routeOf('local/%ZZ/shop/main')).toMatchObject({ view: 'queue' });
  expect(routeOf('local/acme/shop/main/041').view).toBe('unresolved');
  expect(routeOf('local/acme/shop/main/41/42').view).toBe('unresolved');
});
