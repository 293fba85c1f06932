import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkNode, checkWritable, isAtLeast, ROOT } from './machine.mjs';
import { diagnose } from './pnpm.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mq-machine-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `npm test` on a machine whose PATH holds nothing but the given fake git. */
function testWithGit(answer: string | null) {
  if (answer !== null) {
    writeFileSync(join(folder, 'git'), `#!/bin/sh\necho '${answer}'\n`);
    chmodSync(join(folder, 'git'), 0o755);
  }
  return spawnSync(process.execPath, [join(ROOT, 'scripts/test.mjs')], {
    env: { PATH: folder },
    encoding: 'utf8',
  });
}

describe('the machine', () => {
  test.each([
    ['20.19.0', '20.19.0', true],
    ['20.18.9', '20.19.0', false],
    ['22.0.0', '20.19.0', true],
    ['2.39.5.windows.1', '2.38.0', true],
    ['2.9.0', '2.38.0', false],
  ])('the machine of version %s against %s is recent enough: %s', (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected);
  });

  test('the machine with an old Node names the version to install', () => {
    expect(() => checkNode('18.20.1')).toThrow('Node 18.20.1 is too old: mq needs Node 20.19.0 or newer.');
  });

  test('the machine without permission to write names the folder', () => {
    const missing = join(folder, 'absent');
    expect(() => checkWritable(missing)).toThrow(`No permission to write in ${missing}.`);
  });

  test('the machine without git gets a sentence and a remedy, and no stack trace', () => {
    const { status, stderr } = testWithGit(null);
    expect(status).toBe(1);
    expect(stderr).toMatch(/✖ git was not found.*\n\s+Install git 2\.38\.0 or newer/);
    expect(stderr).not.toContain('    at ');
  });

  test('the machine with an old git asks to update it', () => {
    const { status, stderr } = testWithGit('git version 2.30.2');
    expect(status).toBe(1);
    expect(stderr).toContain('git 2.30.2 is too old');
  });
});

describe('a failed install', () => {
  test.each([
    ['npm error code EAI_AGAIN', 'The package registry cannot be reached.'],
    ['request failed, reason: connect ECONNREFUSED', 'The package registry cannot be reached.'],
    ["npm error Error: EACCES: permission denied, mkdir '/x'", 'A file or folder is not writable.'],
    ['ENOSPC: no space left on device', 'The disk is full.'],
    [
      'reason: self-signed certificate in certificate chain',
      'The certificate of the package registry is not trusted.',
    ],
    ['ERR_PNPM_OUTDATED_LOCKFILE', 'pnpm-lock.yaml does not fit the package.json files.'],
  ])('a failed install that ends in "%s" is explained', (output, what) => {
    expect(diagnose(output)?.message).toBe(what);
  });

  test('a failed install that says nothing known is left to its own output', () => {
    expect(diagnose('ERR_PNPM_SOMETHING_ELSE')).toBeNull();
  });
});
