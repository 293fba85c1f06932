import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const git = (folder: string, args: readonly string[], input = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile('git', args, { cwd: folder, maxBuffer: 256 * 1024 * 1024 }, (error, out) =>
      error === null ? resolve(out) : reject(error),
    );
    // git may end before reading its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
const who = (seconds: number): string => `Ada <ada@example.org> ${1_700_000_000 + seconds} +0000`;

const metaOf = (number: number): string =>
  JSON.stringify({
    ...{ version: 1, title: `Change ${number}`, body: '', author: 'ada', base: 'main' },
    ...{ headBranch: `change/${number}`, state: 'open', draft: false, labels: [], openedAt: 1_700_000_000 },
  });

/** Folders of the target, so that a merge has trees to compare. */
const FOLDERS = 20;
const FILES_PER_FOLDER = 20;

/**
 * Creates a bare repository with this many pull requests, each adding one file, and one check that takes
 * `checkSeconds`. Answers their heads.
 */
export const makeRepository = async (
  root: string,
  name: string,
  pulls: number,
  checkSeconds: number,
): Promise<ReadonlyMap<number, string>> => {
  const bare = join(root, 'acme', `${name}.git`);
  await mkdir(bare, { recursive: true });
  await git(bare, ['init', '--quiet', '--bare', '--initial-branch=main', '--template=']);
  await git(bare, ['config', 'mq.check.test.command', `sleep ${checkSeconds}`]);
  const lines = ['commit refs/heads/main\nmark :1\n', `committer ${who(0)}\n`, data('Begin')];
  for (let folder = 0; folder < FOLDERS; folder += 1)
    for (let file = 0; file < FILES_PER_FOLDER; file += 1)
      lines.push(`M 100644 inline src/${folder}/${file}.txt\n${data(`${folder} ${file}`)}`);
  for (let number = 1; number <= pulls; number += 1)
    lines.push(
      `commit refs/heads/change/${number}\nmark :${2 * number}\ncommitter ${who(number)}\n`,
      `${data(`Change ${number}`)}from :1\nM 100644 inline new/${number}.txt\n${data(`${number}`)}`,
      `blob\nmark :${2 * number + 1}\n${data(metaOf(number))}`,
    );
  const marks = join(bare, 'marks');
  await git(bare, ['fast-import', '--quiet', `--export-marks=${marks}`], lines.join(''));
  const names = new Map(
    (await readFile(marks, 'utf8')).split('\n').flatMap((line) => {
      const [mark, sha] = line.split(' ');
      return mark === undefined || sha === undefined ? [] : [[Number(mark.slice(1)), sha] as const];
    }),
  );
  const updates = Array.from({ length: pulls }, (_, index) => {
    const [number, ref] = [index + 1, `refs/mq/pulls/${index + 1}`];
    return `update ${ref}/head ${names.get(2 * number)}\nupdate ${ref}/meta ${names.get(2 * number + 1)}\n`;
  });
  await git(bare, ['update-ref', '--stdin'], updates.join(''));
  await git(bare, ['pack-refs', '--all']);
  return new Map(Array.from({ length: pulls }, (_, index) => [index + 1, names.get(2 * index + 2) ?? '']));
};
