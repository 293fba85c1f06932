import { chmod, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HostError } from '@mq/core';
import type { GitRepository } from './repositories.js';

const HIDDEN = 'refs/mq';
const TRIES = 5;
const WAIT_MS = 50;
const NEWLINE = 10;

/**
 * What git would refuse besides: old histories are full of it, and nothing here depends on it. Not among them, and so
 * refused: entries of a tree whose name is empty, holds a slash or is `.`, `..` or `.git`, duplicate entries and wrong
 * order. Git reads names of these as it does its settings, without regard to case, and ignores those that it does not know.
 */
const IGNORED = [
  ...['badDate', 'badDateOverflow', 'badEmail', 'badFilemode', 'badName', 'badTagName', 'badTimezone'],
  ...['extraHeaderEntry', 'gitattributesBlob', 'gitattributesLarge', 'gitattributesLineLength'],
  ...[
    'gitattributesMissing',
    'gitattributesSymlink',
    'gitignoreSymlink',
    'gitmodulesBlob',
    'gitmodulesLarge',
  ],
  ...['gitmodulesMissing', 'gitmodulesName', 'gitmodulesParse', 'gitmodulesPath', 'gitmodulesSymlink'],
  ...[
    'gitmodulesUpdate',
    'gitmodulesUrl',
    'mailmapSymlink',
    'missingAuthor',
    'missingCommitter',
    'missingEmail',
  ],
  ...['missingNameBeforeEmail', 'missingSpaceBeforeDate', 'missingSpaceBeforeEmail', 'missingTaggerEntry'],
  ...['multipleAuthors', 'nulInCommit', 'nullSha1', 'zeroPaddedDate', 'zeroPaddedFilemode'],
];

/**
 * Has git refuse pushes to `refs/mq/*` and what lies below the other refs, for who can write there can say what was tested and landed, and pushes of trees
 * that git cannot merge. A setting that the owner has made is kept: one that names just these refs, and any about checking
 * what is pushed. Throws where the configuration can be neither read nor written.
 */
export const guardPushes = async (repo: GitRepository, others: readonly string[] = []): Promise<void> => {
  const hidden = [HIDDEN, ...others];
  for (let tries = 1; ; tries += 1) {
    const settings = await receiveSettings(repo);
    const lines = missingLines(settings, hidden);
    if (lines.length === 0) return;
    const failure = await append(repo, lines);
    if (failure === null) return;
    // Git does not wait for a lock of the configuration; another process may be setting the very same.
    if (tries < TRIES) await delay(WAIT_MS * tries);
    // A tree that git cannot merge is then found when it is merged.
    else if (hidden.every((ref) => isHidden(settings, ref))) return;
    else
      throw new HostError(
        `Pushes to ${hidden.join(' and ')} cannot be refused (git config --add receive.hideRefs <ref>): ${failure}`,
        'later',
      );
  }
};

/** Lower-cased keys to their values. */
const receiveSettings = async (repo: GitRepository): Promise<Settings> => {
  const { stdout } = await repo.refs({
    command: 'config',
    args: ['--local', '-z', '--get-regexp', '^(receive|transfer)\\.'],
    codes: [0, 1],
  });
  const found = new Map<string, string[]>();
  for (const entry of stdout.toString('utf8').split('\0').filter(Boolean)) {
    const end = entry.indexOf('\n');
    const [key, value] = end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
    found.set(key.toLowerCase(), [...(found.get(key.toLowerCase()) ?? []), value]);
  }
  return found;
};

type Settings = ReadonlyMap<string, readonly string[]>;

const isHidden = (settings: Settings, ref: string): boolean =>
  ['receive.hiderefs', 'transfer.hiderefs']
    .flatMap((key) => settings.get(key) ?? [])
    .some((value) => value === ref || value === `!${ref}`);

const missingLines = (settings: Settings, hidden: readonly string[]): readonly string[] => {
  const isChecked = settings.has('receive.fsckobjects') || settings.has('transfer.fsckobjects');
  const receive = [
    ...hidden.flatMap((ref) => (isHidden(settings, ref) ? [] : [`\thideRefs = ${ref}`])),
    ...(isChecked ? [] : ['\tfsckObjects = true']),
  ];
  const ignored = IGNORED.filter((name) => !settings.has(`receive.fsck.${name.toLowerCase()}`));
  return [
    ...(receive.length === 0 ? [] : ['[receive]', ...receive]),
    ...(isChecked ? [] : ['[receive "fsck"]', ...ignored.map((name) => `\t${name} = ignore`)]),
  ];
};

/** Adds to the configuration as git itself would, under its lock. Answers why that is not possible; null where it was done. */
const append = async (repo: GitRepository, lines: readonly string[]): Promise<string | null> => {
  let lock: string | null = null;
  try {
    const config = await realpath(join(repo.path, 'config'));
    const { mode } = await stat(config);
    const file = await open(`${config}.lock`, 'wx', mode);
    lock = `${config}.lock`;
    const text = await readFile(config);
    const gap = text.length === 0 || text.at(-1) === NEWLINE ? '' : '\n';
    const added = Buffer.from(`${gap}${lines.join('\n')}\n`);
    await file.writeFile(Buffer.concat([text, added])).finally(() => file.close());
    await chmod(lock, mode);
    await rename(lock, config);
    return null;
  } catch (error) {
    if (lock !== null) await unlink(lock).catch(() => undefined);
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};
