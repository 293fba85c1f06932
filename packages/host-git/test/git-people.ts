import { execFile } from 'node:child_process';
import { git } from '@mq/test-git';
import { commitsOf, type Edits, fileOf, type NewPullRequest, type PeopleVerbs } from '@mq/testkit';
import { pullRequestsOf } from '../src/index.js';
import type { GitStoryWorld } from './git-story-world.js';

/** For verbs that no scenario of the local git host needs. */
export const unsupported = (what: string): Promise<never> =>
  Promise.reject(new Error(`The local git host does not support ${what}.`));

/** The author of a commit names its content: `pr-<number>`, or `push` for one past the queue. */
export const authorOf = (pr: number): string => `pr-${pr}`;
export const PUSH = 'push';

/** Actions of people with plain git and with pull requests, by the documented functions. Each notifies the world. */
export const peopleVerbs = (world: GitStoryWorld): PeopleVerbs => {
  const { bare } = world.place;
  const target = `refs/heads/${world.ref.targetBranch}`;
  const onBranch = (act: () => Promise<unknown>) => acted(world, 'branch', act);
  const onPull = (pr: number, act: (pulls: PullRequests) => Promise<unknown>) =>
    acted(world, 'pull_requests', async () => {
      await world.open(pr);
      await act(await pullRequestsOf(bare));
    });
  const headBranch = (pr: number) => world.headBranches.get(pr) ?? '';
  let lastTarget = '';
  let pushes = 0;
  return {
    opens: (...pulls) =>
      acted(world, 'pull_requests', async () => {
        for (const pull of pulls) await openPull(world, typeof pull === 'number' ? { number: pull } : pull);
      }),
    pushes: (pr, edits) =>
      onPull(pr, async () => {
        pushes += 1;
        const change = edits ?? { [fileOf(pr)]: `change ${pr}, again ${pushes}\n` };
        await commitTo(
          bare,
          headBranch(pr),
          [{ edits: change, message: `Change ${pr} again` }],
          authorOf(pr),
        );
      }),
    closes: (pr) => onPull(pr, (pulls) => pulls.edit(pr, { state: 'closed' })),
    reopens: (pr) => onPull(pr, (pulls) => pulls.edit(pr, { state: 'open' })),
    drafts: (pr) => onPull(pr, (pulls) => pulls.edit(pr, { draft: true })),
    marksReady: (pr) => onPull(pr, (pulls) => pulls.edit(pr, { draft: false })),
    retargets: (pr, base) =>
      onPull(pr, async (pulls) => {
        const known = await git(bare, 'for-each-ref', `refs/heads/${base}`);
        if (known === '') await git(bare, 'update-ref', `refs/heads/${base}`, target);
        await pulls.edit(pr, { base });
      }),
    edits: (pr, part) => onPull(pr, (pulls) => pulls.edit(pr, part)),
    deletesPullRequest: (pr) =>
      onPull(pr, async () => {
        for (const part of ['meta', 'head'])
          await git(bare, 'update-ref', '-d', `refs/mq/pulls/${pr}/${part}`);
      }),
    deletesHeadBranch: (pr) =>
      onPull(pr, () => git(bare, 'update-ref', '-d', `refs/heads/${headBranch(pr)}`)),
    mergesByHand: (pr) =>
      onPull(pr, async () => {
        const head = `refs/heads/${headBranch(pr)}`;
        const tree = (await git(bare, 'merge-tree', '--write-tree', target, head)).trim();
        const changes = [`merge ${head}^0`, `M 040000 ${tree} ""`];
        await imported(bare, [
          ...commitLines(target, `Merge #${pr} by hand`, authorOf(pr), target),
          ...changes,
        ]);
        await world.showTipGreen();
      }),
    pushesToTarget: (edits) =>
      onBranch(async () => {
        pushes += 1;
        const change = edits ?? { [`push-${pushes}.txt`]: 'by hand\n' };
        await commitTo(bare, world.ref.targetBranch, [{ edits: change, message: 'Push by hand' }], PUSH);
        await world.showTipGreen();
      }),
    rewinds: (commits = 1) => onBranch(() => git(bare, 'update-ref', target, `${target}~${commits}`)),
    deletesTarget: () =>
      onBranch(async () => {
        lastTarget = (await git(bare, 'rev-parse', target)).trim();
        await world.rememberMoves();
        await git(bare, 'update-ref', '-d', target);
      }),
    restoresTarget: () => onBranch(() => git(bare, 'update-ref', target, lastTarget)),
  };
};

type PullRequests = Awaited<ReturnType<typeof pullRequestsOf>>;

/** Sends a hint after an action, like a repository with a hook. */
const acted = (
  world: GitStoryWorld,
  what: 'branch' | 'pull_requests',
  act: () => Promise<unknown>,
): Promise<void> =>
  world.act(async () => {
    await act();
    world.hear({ repo: world.ref.repo, what });
  });

export const openPull = async (world: GitStoryWorld, wanted: NewPullRequest): Promise<void> => {
  const { bare } = world.place;
  const { number = world.headBranches.size + 1, title, body, draft, labels, base = 'main' } = wanted;
  const { headBranch = `change-${number}` } = wanted;
  await commitTo(bare, headBranch, commitsOf(number, wanted), authorOf(number), base);
  const given = Object.entries({ title, body, draft, labels }).filter(([, value]) => value !== undefined);
  const pulls = await pullRequestsOf(bare);
  const opened = await pulls.open({
    head: headBranch,
    base,
    author: authorOf(number),
    ...Object.fromEntries(given),
  });
  if (opened.number !== number)
    throw new Error(`It became #${opened.number}, not #${number}: the repository numbers them in order.`);
  world.knows(number, headBranch);
};

interface NewCommit {
  readonly edits: Edits;
  readonly message: string;
}

let seconds = 1_700_000_000;

/** Has the effect of a push of these commits, but in one git process. */
const commitTo = (
  bare: string,
  branch: string,
  commits: readonly NewCommit[],
  author: string,
  from = branch,
): Promise<void> =>
  imported(
    bare,
    commits.flatMap(({ edits, message }, index) => [
      ...commitLines(`refs/heads/${branch}`, message, author, index === 0 ? `refs/heads/${from}` : null),
      ...Object.entries(edits).map(([path, content]) =>
        content === null ? `D ${path}` : `M 100644 inline ${path}\n${data(content)}`,
      ),
    ]),
  );

/** The date increases with each commit, so that no two commits get the same id by accident. */
const commitLines = (
  ref: string,
  message: string,
  author: string,
  from: string | null,
): readonly string[] => {
  seconds += 1;
  const who = `${author} <${author}@example.org> ${seconds} +0000`;
  return [
    `commit ${ref}`,
    `author ${who}`,
    `committer ${who}`,
    data(message),
    ...(from === null ? [] : [`from ${from}^0`]),
  ];
};

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

const imported = (bare: string, lines: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = execFile('git', ['fast-import', '--quiet', '--force'], { cwd: bare }, (error) =>
      error === null ? resolve() : reject(error),
    );
    child.stdin?.end(`${lines.join('\n')}\n`);
  });
