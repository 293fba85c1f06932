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
 * The checks of `receive.fsckObjects` that are switched off, because old histories fail them and nothing here depends on
 * them. The remaining checks refuse tree entries whose name is empty, contains a slash or is `.`, `..` or `.git`,
 * duplicate entries and wrong order. Git ignores the case of these names, and names that it does not know.
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
 * Configures git to refuse pushes to `refs/mq/*` and to refs below `others`, because they record what was tested and
 * landed, and pushes of trees that git cannot merge. Existing settings of the owner that name these refs or that check
 * pushed objects are kept. Throws if the configuration can be neither read nor written.
 */
export const guardPushes = async (repo: GitRepository, others: readonly string[] = []): Promise<void> => {
  const hidden = [HIDDEN, ...others];
  for (let tries = 1; ; tries += 1) {
    const settings = await receiveSettings(repo);
    const lines = missingLines(settings, hidden);
    if (lines.length === 0) return;
    const failure = await append(repo, lines);
    if (failure === null) return;
    // Git fails at once if the configuration is locked, possibly by another process that writes the same settings.
    if (tries < TRIES) await delay(WAIT_MS * tries);
    // Without the check of pushed objects, a tree that git cannot merge is found when it is merged.
    else if (hidden.every((ref) => isHidden(settings, ref))) return;
    else
      throw new HostError(
        `Pushes to ${hidden.join(' and ')} cannot be refused (git config --add receive.hideRefs <ref>): ${failure}`,
        'later',
      );
  }
};

/** The `receive` and `transfer` settings, those of included files too, by key in lower case. */
const receiveSettings = async (repo: GitRepository): Promise<Settings> => {
  const { stdout } = await repo.refs({
    command: 'config',
    args: ['--local', '--includes', '-z', '--get-regexp', '^(receive|transfer)\\.'],
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

/** Appends lines to the configuration under git's lock. Returns why that failed; null on success. */
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
