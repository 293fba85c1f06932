import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '@mq/test-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GitWorld, gitWorld, openAt, repo } from './git-world.js';
import { build, built, land, methods, RUN } from './requests.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

/** A file that only a hook, driver or filter of the repository would create. */
const tripwire = () => join(world.place.root, 'tripped');
const hasTripped = () =>
  stat(tripwire()).then(
    () => true,
    () => false,
  );

describe('T-N02: a hostile repository', () => {
  test('git runs no hooks, drivers or filters of a hostile repository', async () => {
    const { bare } = world.place;
    const trip = `touch ${tripwire()}`;
    await mkdir(join(bare, 'hooks'));
    await mkdir(join(bare, 'info'), { recursive: true });
    for (const hook of [
      'reference-transaction',
      'pre-receive',
      'update',
      'post-update',
      'post-receive',
      'pre-commit',
    ]) {
      await writeFile(join(bare, 'hooks', hook), `#!/bin/sh\n${trip}\n`);
      await chmod(join(bare, 'hooks', hook), 0o755);
    }
    const attributes = '* merge=evil filter=evil diff=evil export-subst text eol=crlf ident\n';
    await writeFile(join(bare, 'info', 'attributes'), attributes);
    for (const [key, value] of [
      ['core.hooksPath', join(bare, 'hooks')],
      ['core.fsmonitor', trip],
      ['core.attributesFile', join(bare, 'info', 'attributes')],
      ['core.alternateRefsCommand', trip],
      ['merge.evil.driver', `${trip}; cp %B %A`],
      ['merge.default', 'evil'],
      ['filter.evil.smudge', `${trip}; cat`],
      ['filter.evil.clean', `${trip}; cat`],
      ['filter.evil.process', trip],
      ['diff.evil.textconv', trip],
    ] as const)
      await git(bare, 'config', key, value);
    const text = 'one\n$Format:%H$\n$Id$\nfive\n';
    // None of this is brought by git here: the world writes commits without hooks of its own.
    await git(bare, 'config', 'core.hooksPath', '/dev/null');
    await world.push({ 'both.txt': text, '.gitattributes': attributes });
    const pr = await world.open({ files: { 'both.txt': text.replace('one', 'ONE') } });
    await world.push({ 'both.txt': text.replace('five', 'FIVE') });
    await git(bare, 'config', 'core.hooksPath', join(bare, 'hooks'));
    await world.configure('same', `test "$(cat both.txt)" = "$(printf 'ONE\\n$Format:%%H$\\n$Id$\\nFIVE')"`);
    await rm(tripwire(), { force: true });

    for (const method of methods) await built(world, [pr], method);
    const candidate = await built(world, [pr]);
    expect(await git(bare, 'cat-file', 'blob', `${candidate.commit}:both.txt`)).toBe(
      'ONE\n$Format:%H$\n$Id$\nFIVE\n',
    );
    await world.host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['same'] });
    await world.host.checksEnded();
    const [check] = (await world.host.getChecks(repo, [candidate.commit])).get(candidate.commit)!;
    expect(check?.conclusion).toBe('success');
    expect((await land(world, [pr])).kind).toBe('landed');
    expect(await hasTripped()).toBe(false);
  });

  test('attributes in a tree cannot resolve a real conflict', async () => {
    await world.push({ '.gitattributes': '* merge=union\n', 'a.txt': 'a\n' });
    const pr = await world.open({ files: { 'a.txt': 'mine\n' } });
    await world.push({ 'a.txt': 'theirs\n' });
    expect(await build(world, [pr])).toMatchObject({ kind: 'conflicted', with: 'target', paths: ['a.txt'] });
  });

  test('an export keeps symbolic links as links, leaves submodules empty and has no .git', async () => {
    const { bare } = world.place;
    const blob = (await git(bare, 'rev-parse', 'main:README.md')).trim();
    const secret = join(world.place.root, 'outside');
    await writeFile(secret, 'untouched\n');
    const stream = [
      'commit refs/heads/links',
      'committer Ada <ada@example.org> 1700000000 +0000',
      'data 5\nlinks',
      'from refs/heads/main^0',
      `M 120000 inline out\ndata ${secret.length}\n${secret}`,
      `M 120000 inline loop\ndata 4\nloop`,
      `M 160000 ${await world.place.tip('main')} module`,
      `M 100755 ${blob} run.sh`,
      '',
    ].join('\n');
    execFileSync('git', ['fast-import', '--quiet'], { cwd: bare, input: stream });
    const number = await openAt(bare, 'links');
    const candidate = await built(world, [number]);
    await world.configure(
      'look',
      'test -L out && test -L loop && test -x run.sh && ! test -e .git && ! test -e module/*',
    );
    await world.host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['look'] });
    await world.host.checksEnded();
    const [check] = (await world.host.getChecks(repo, [candidate.commit])).get(candidate.commit)!;
    expect(check?.conclusion).toBe('success');
    expect(await readFile(secret, 'utf8')).toBe('untouched\n');
  });
});

describe('T-N03: the environment', () => {
  test('the environment of the server does not affect git', async () => {
    const home = join(world.place.root, 'home');
    await mkdir(home);
    await writeFile(
      join(home, '.gitconfig'),
      '[core]\n\tbare = false\n[merge]\n\trenames = false\n[user]\n\tname = X\n',
    );
    const pr = await world.open({ files: { 'a.txt': 'a\n' } });
    const before = await built(world, [pr], 'merge_commit');
    for (const [name, value] of Object.entries({
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/nowhere',
      GIT_INDEX_FILE: '/nowhere',
      GIT_OBJECT_DIRECTORY: '/nowhere',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.bare',
      GIT_CONFIG_VALUE_0: 'false',
      GIT_AUTHOR_NAME: 'Mallory',
      GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z',
      GIT_TRACE: tripwire(),
      GIT_SSH_COMMAND: `touch ${tripwire()}`,
      GIT_NAMESPACE: 'other',
      HOME: home,
      LANG: 'de_DE.UTF-8',
    }))
      vi.stubEnv(name, value);
    expect(await built(world, [pr], 'merge_commit')).toEqual(before);
    expect((await land(world, [pr])).kind).toBe('landed');
    expect(await hasTripped()).toBe(false);
  });

  test('checks get neither the environment of the server nor a token', async () => {
    vi.stubEnv('MQ_TOKEN', 'secret');
    vi.stubEnv('GIT_DIR', '/nowhere');
    await world.configure(
      'env',
      'env > "$TMPDIR/e"; ! grep -E "^(MQ_TOKEN|GIT_)|secret" "$TMPDIR/e" && test "$CI" = true',
    );
    const candidate = await built(world, [await world.open({ files: { 'a.txt': 'a\n' } })]);
    await world.host.startChecks({ repo, runId: RUN, commit: candidate.commit, names: ['env'] });
    await world.host.checksEnded();
    const [check] = (await world.host.getChecks(repo, [candidate.commit])).get(candidate.commit)!;
    expect(check?.conclusion).toBe('success');
  });
});
