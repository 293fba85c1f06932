import { execFile } from 'node:child_process';
import type { Sha, TestRunId } from '@mq/core';
import { git } from '@mq/test-git';

interface CommitSeen {
  readonly tree: string;
  readonly parents: readonly Sha[];
  readonly author: string;
  readonly message: string;
}

export interface CheckSeen {
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly name: string;
  readonly isRunning: boolean;
}

/** A repository at one moment, as plain git shows it: all refs, and every object that was ever created. */
export class GitView {
  static readonly empty = new GitView(new Map(), new Map());

  static async of(bare: string): Promise<GitView> {
    // Refs are read first, so that their targets exist when the objects are read.
    const refs = (await git(bare, 'for-each-ref', '--format=%(objectname) %(refname)')).split('\n');
    const named = refs
      .filter(Boolean)
      .map((line): [string, Sha] => [line.slice(41), line.slice(0, 40) as Sha]);
    return new GitView(new Map(named), await everyObject(bare));
  }

  private constructor(
    readonly refs: ReadonlyMap<string, Sha>,
    private readonly objects: ReadonlyMap<string, Buffer>,
  ) {}

  holds(sha: Sha): boolean {
    return this.objects.has(sha);
  }

  commit(sha: Sha): CommitSeen {
    const text = this.#object(sha).toString('utf8');
    const end = text.indexOf('\n\n');
    const head = text.slice(0, end).split('\n');
    const all = (key: string) =>
      head.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
    return {
      tree: all('tree')[0] ?? '',
      parents: all('parent') as Sha[],
      author: /^(.*) </.exec(all('author')[0] ?? '')?.[1] ?? '',
      message: text.slice(end + 2),
    };
  }

  filesOf(tree: string, under = ''): Readonly<Record<string, string>> {
    const files: Record<string, string> = {};
    const data = this.#object(tree);
    for (let at = 0; at < data.length; ) {
      const space = data.indexOf(' ', at);
      const nul = data.indexOf(0, space);
      const path = `${under}${data.toString('utf8', space + 1, nul)}`;
      const sha = data.toString('hex', nul + 1, nul + 21);
      if (data.toString('ascii', at, space) === '40000') Object.assign(files, this.filesOf(sha, `${path}/`));
      else files[path] = this.#object(sha).toString('utf8');
      at = nul + 21;
    }
    return files;
  }

  firstParents(tip: Sha): readonly CommitSeen[] {
    const chain: CommitSeen[] = [];
    for (let at: Sha | undefined = tip; at !== undefined; ) {
      const commit: CommitSeen = this.commit(at);
      chain.push(commit);
      at = commit.parents[0];
    }
    return chain;
  }

  /** The commit itself and all its ancestors. */
  ancestors(tip: Sha): ReadonlySet<Sha> {
    const found = new Set([tip]);
    for (const sha of found) for (const parent of this.commit(sha).parents) found.add(parent);
    return found;
  }

  /** The check results that the CI has stored in the repository. */
  checks(): readonly CheckSeen[] {
    return this.#below('refs/mq/checks/').map(([ref, blob]) => {
      const { runId, name, status } = JSON.parse(this.#object(blob).toString('utf8'));
      return { runId, name, commit: ref.split('/')[0] as Sha, isRunning: status !== 'completed' };
    });
  }

  candidates(): readonly TestRunId[] {
    return this.#below('refs/mq/candidates/').map(([ref]) => ref as TestRunId);
  }

  landed(): readonly { readonly runId: TestRunId; readonly commit: Sha }[] {
    return this.#below('refs/mq/landed/').map(([ref, commit]) => ({ runId: ref as TestRunId, commit }));
  }

  #below(prefix: string): readonly (readonly [string, Sha])[] {
    return [...this.refs].flatMap(([ref, sha]) =>
      ref.startsWith(prefix) ? [[ref.slice(prefix.length), sha] as const] : [],
    );
  }

  #object(sha: string): Buffer {
    const found = this.objects.get(sha);
    if (found === undefined) throw new Error(`The repository has no object ${sha}.`);
    return found;
  }
}

const everyObject = async (bare: string): Promise<ReadonlyMap<string, Buffer>> => {
  const out = await new Promise<Buffer>((resolve, reject) => {
    const args = ['cat-file', '--batch-all-objects', '--unordered', '--batch=%(objectname) %(objectsize)'];
    const options = { cwd: bare, encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
    execFile('git', args, options, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
  const objects = new Map<string, Buffer>();
  for (let at = 0; at < out.length; ) {
    const line = out.indexOf('\n', at);
    const [name = '', size = ''] = out.toString('ascii', at, line).split(' ');
    objects.set(name, out.subarray(line + 1, line + 1 + Number(size)));
    at = line + 1 + Number(size) + 1;
  }
  return objects;
};
