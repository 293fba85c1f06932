import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoriesBelow } from './repositories.js';

const folder = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'mq-repositories-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
};
const found = async (root: string) =>
  (await repositoriesBelow(root)).map(({ owner, name }) => `${owner}/${name}`).sort();

test('a repository is found at any depth of its owner, and through a link', async () => {
  const root = folder();
  const elsewhere = folder();
  for (const path of ['acme/a.git/objects.git', 'acme/tools/b.git', 'orphan.git', 'acme/none'])
    mkdirSync(join(root, path), { recursive: true });
  symlinkSync(elsewhere, join(root, 'acme', 'linked.git'));
  expect(await found(root)).toEqual(['acme/a', 'acme/linked', 'acme/tools/b']);
});

test('what is a file, or a link to another folder, is passed over', async () => {
  const root = folder();
  const elsewhere = folder();
  mkdirSync(join(root, 'acme'));
  mkdirSync(join(elsewhere, 'b.git'));
  writeFileSync(join(root, 'acme', 'a.git'), '');
  symlinkSync(elsewhere, join(root, 'acme', 'linked'));
  expect(await found(root)).toEqual([]);
});

test('an owner lies at most ten folders deep', async () => {
  const root = folder();
  const deep = (count: number) => Array.from({ length: count }, (_, index) => `o${index}`).join('/');
  mkdirSync(join(root, deep(10), 'a.git'), { recursive: true });
  mkdirSync(join(root, deep(11), 'b.git'), { recursive: true });
  expect(await found(root)).toEqual([`${deep(10)}/a`]);
});
