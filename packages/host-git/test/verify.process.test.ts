import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Receipt, type Sha, sealed } from '@mq/core';
import { git } from '@mq/test-git';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { faultsIn, type LandingWorld, landingWorld, mqVerify } from './verify-world.js';

type Page = Awaited<ReturnType<LandingWorld['page']>>;

const worldOf = async (...args: Parameters<typeof landingWorld>): Promise<LandingWorld> => {
  const world = await landingWorld(...args);
  onTestFinished(() => world.end());
  return world;
};

const file = (name: string, text = `${name}\n`) => ({ files: { [`${name}.txt`]: text } });

/** Recomputes the chain of altered receipts, like an attacker who can write everything but git. */
const forged = (receipts: readonly Receipt[], number: number, landed: Partial<Receipt['landed']>) => {
  const chain: Receipt[] = [];
  for (const receipt of receipts) {
    const patch = receipt.number === number ? landed : {};
    const step = { ...receipt.landed.step, ...(patch.tree === undefined ? {} : { tree: patch.tree }) };
    const tested = receipt.tested && { ...receipt.tested, step: { ...receipt.tested.step, tree: step.tree } };
    chain.push(
      sealed({
        ...receipt,
        landed: { ...receipt.landed, step, ...patch },
        tested,
        previous: chain.at(-1)?.hash ?? null,
      }),
    );
  }
  return chain;
};

/** A repository with three landed pull requests, two of them in one landing. The tests do not change it. */
let world: LandingWorld;
let page: Page;
let at: readonly string[];

beforeAll(async () => {
  world = await landingWorld();
  await world.lands(file('a'));
  await world.lands(file('b'), file('c'));
  page = await world.page();
  at = ['--repo', world.place.bare];
}, 60_000);

afterAll(() => world.end());

describe('mq-verify', () => {
  test.each(['squash', 'merge_commit', 'rebase'] as const)(
    'mq-verify accepts a chain of landings by %s',
    async (method) => {
      const own = await worldOf(method);
      await own.lands({ ...file('a'), commits: [{ 'a.txt': 'again\n' }, { 'a2.txt': 'more\n' }] }, file('b'));
      await own.lands(file('c'));
      const files = { 'page.json': await own.page() };
      expect(await faultsIn(files, '--repo', own.place.bare)).toEqual([]);
      const { code, text } = await mqVerify(files, '--repo', own.place.bare);
      expect([code, text]).toEqual([
        0,
        expect.stringMatching(/^acme\/tools\/widgets, main: 3 receipts of \d landings, /),
      ]);
      expect(text).toMatch(/✔ all is well\. Keep this head for the next time: 3:[0-9a-f]{64}$/);
    },
  );

  test('mq-verify works in an ordinary clone, uses the fetched branch and writes nothing', async () => {
    const clone = join(world.place.root, 'clone');
    await git(world.place.root, 'clone', '--quiet', world.place.bare, clone);
    await git(clone, 'checkout', '--quiet', '-b', 'other');
    await git(clone, 'branch', '--force', 'main', 'HEAD~2');
    const listed = async () => (await readdir(clone, { recursive: true })).sort();
    const before = await listed();
    const { text } = await mqVerify({ 'page.json': page }, '--repo', clone);
    expect(text).toContain('refs/remotes/origin/main at ');
    expect(await faultsIn({ 'page.json': page }, '--repo', clone)).toEqual([]);
    expect(await faultsIn({ 'page.json': page }, '--repo', clone, '--branch', 'refs/heads/main')).toEqual([
      '2 NOT_ON_BRANCH',
      '3 NOT_ON_BRANCH',
    ]);
    expect(await listed()).toEqual(before);
  });

  test('mq-verify reads pages in any order, lists, single receipts and lines, and drops duplicates', async () => {
    const [one, two, three] = page.receipts;
    const { chain } = page;
    const given: Record<string, unknown>[] = [
      { '2.json': { receipts: [three], chain }, '1.json': { receipts: [one, two], chain, nextCursor: 'x' } },
      { 'all.json': [{ receipts: [one] }, { receipts: [two, three, two], chain }] },
      { 'all.json': page.receipts },
      {
        'lines.json': [{ receipts: [one, two] }, three, { receipts: [], chain }]
          .map((each) => JSON.stringify(each))
          .join('\n'),
      },
      { '-': page },
    ];
    for (const files of given) expect(await faultsIn(files, ...at)).toEqual([]);
  });

  test('mq-verify finds merge content that a rebase lost, and a reviewed tree that is not the merge', async () => {
    const own = await worldOf('rebase');
    await own.lands(file('a'), file('b'));
    const [one, two] = (await own.page()).receipts;
    if (one === undefined || two === undefined) throw new Error('Not both have landed.');
    const parents = [two.head as Sha, one.landed.commit as Sha];
    const head = await own.commit({ parents, files: { 'a.txt': 'a\n', 'fix.txt': 'fix\n' } });
    const batch = two.tested?.batch.map((member) => (member.pr === two.pr ? { ...member, head } : member));
    const tested = two.tested === null ? null : { ...two.tested, batch: batch ?? [] };
    const { reviewedTree, ...rest } = two;
    const earlier = sealed({ ...rest, head, tested });
    const at = ['--repo', own.place.bare];
    expect(reviewedTree).toBe(two.landed.tree);
    expect(await faultsIn({ 'r.json': [one, earlier] }, ...at)).toEqual(['2 MERGE_CONTENT_LOST']);
    expect(await faultsIn({ 'r.json': [one, sealed({ ...two, head, tested })] }, ...at)).toEqual([
      '2 REVIEWED_TREE_DIFFERS',
      '2 MERGE_CONTENT_LOST',
    ]);
  });

  test('mq-verify reports the number of rebases whose merge commits could not be checked', async () => {
    const own = await worldOf('rebase');
    await own.lands(file('a'));
    const clone = join(own.place.root, 'clone');
    await git(own.place.root, 'clone', '--quiet', '--no-local', '--single-branch', own.place.bare, clone);
    const { code, text } = await mqVerify({ 'page.json': await own.page() }, '--repo', clone);
    expect([code, text]).toEqual([
      0,
      expect.stringContaining('– 1 pull request landed by rebase whose head'),
    ]);
  });

  test('mq-verify finds an altered receipt', async () => {
    const receipts = page.receipts.map((receipt) =>
      receipt.number === 2 ? { ...receipt, submitted: null } : receipt,
    );
    expect(await faultsIn({ 'page.json': { ...page, receipts } }, ...at)).toEqual(['2 HASH_WRONG']);
    const { code, text } = await mqVerify({ 'page.json': { ...page, receipts } }, ...at);
    expect(code).toBe(1);
    expect(text).toMatch(/ {2}✖ HASH_WRONG {2}Receipt 2 \(#2\): its hash is [0-9a-f]{64}, but /);
    expect(text).toMatch(/ {2}1 fault\.$/);
  });

  test('mq-verify finds a removed receipt and a truncated chain', async () => {
    const [one, two, three] = page.receipts;
    const without = async (receipts: unknown) => faultsIn({ 'page.json': { ...page, receipts } }, ...at);
    expect(await without([one, three])).toContain('3 RECEIPT_MISSING');
    expect(await without([two, three])).toEqual(['2 RECEIPT_MISSING']);
    expect(await without([one, two])).toContain('null HEAD_NOT_REACHED');
    const head = `${three?.number}:${three?.hash}`;
    expect(await faultsIn({ 'page.json': [one] }, ...at, '--head', head)).toEqual(['null HEAD_NOT_REACHED']);
  });

  test('mq-verify finds a chain that was forged as a whole', async () => {
    const { tree } = page.receipts[0]?.landed ?? {};
    const forge = (landed: Partial<Receipt['landed']>) => forged(page.receipts, 1, landed);
    const faults = (receipts: readonly Receipt[]) => faultsIn({ 'page.json': receipts }, ...at);
    expect(await faults(forge({}))).toEqual([]);
    const [, other] = page.receipts;
    expect(await faults(forge({ tree: other?.landed.tree ?? '' }))).toContain('1 TREE_DIFFERS');
    const missing = 'e'.repeat(40);
    expect(await faults(forge({ commit: missing, head: missing }))).toContain('1 COMMIT_MISSING');
    const base = (await git(world.place.bare, 'rev-parse', 'main~3')).trim();
    expect(await faults(forge({ commit: base, head: base }))).toEqual(
      expect.arrayContaining(['1 TREE_DIFFERS', '1 NOT_BUILT_ON']),
    );
    expect(tree).toMatch(/^[0-9a-f]{40}$/);
    const heads = ['--head', `3:${page.receipts[2]?.hash}`];
    expect(await faultsIn({ 'page.json': forge({ onto: missing }) }, ...at, ...heads)).toEqual(
      expect.arrayContaining(['null HEAD_NOT_REACHED', '1 NOT_BUILT_ON']),
    );
  });

  test('mq-verify reports commits without a receipt, but not as a fault', async () => {
    const own = await worldOf();
    await own.lands(file('a'));
    await own.push({ 'by-hand.txt': '1\n' });
    await own.push({ 'by-hand.txt': '2\n' });
    await own.lands(file('b'));
    await own.push({ 'by-hand.txt': '3\n' });
    const { code, text } = await mqVerify({ 'page.json': await own.page() }, '--repo', own.place.bare);
    expect(code).toBe(0);
    expect(text.split('\n').slice(2)).toEqual([
      expect.stringMatching(
        /^ {2}– after receipt 1: 2 commits without a receipt \([0-9a-f]{12}\.\.[0-9a-f]{12}\)$/,
      ),
      expect.stringMatching(/^ {2}– after receipt 2: 1 commit without a receipt/),
    ]);
  });

  test('mq-verify finds a rewritten branch, and a landing on top of it', async () => {
    const own = await worldOf();
    await own.lands(file('a'));
    await own.lands(file('b'));
    const { place } = own;
    await git(place.bare, 'update-ref', 'refs/heads/main', 'refs/heads/main~1');
    const repo = ['--repo', place.bare];
    expect(await faultsIn({ 'page.json': await own.page() }, ...repo)).toEqual(['2 NOT_ON_BRANCH']);
    await own.push({ 'by-hand.txt': '1\n' });
    await own.lands(file('c'));
    expect(await faultsIn({ 'page.json': await own.page() }, ...repo)).toEqual([
      '2 NOT_ON_BRANCH',
      '3 BRANCH_REWRITTEN',
    ]);
  });

  test('mq-verify continues from a previously verified chain head', async () => {
    const [one, two, three] = page.receipts;
    const after = ['--after', `1:${one?.hash}`];
    expect(await faultsIn({ 'page.json': { ...page, receipts: [two, three] } }, ...at, ...after)).toEqual([]);
    const other = ['--after', `1:${'0'.repeat(64)}`];
    expect(await faultsIn({ 'page.json': [two, three] }, ...at, ...other)).toEqual(['2 CHAIN_BROKEN']);
  });

  test('mq-verify can check the chain only', async () => {
    const { code, text } = await mqVerify({ 'page.json': page }, '--chain-only', '--repo', '/nowhere');
    expect([code, text]).toEqual([0, expect.stringContaining('the chain alone')]);
  });

  test('mq-verify checks the named branch, and reports a missing one', async () => {
    await git(world.place.bare, 'branch', '--force', 'copy', 'main');
    expect(await faultsIn({ 'page.json': page }, ...at, '--branch', 'copy')).toEqual([]);
    expect(await faultsIn({ 'page.json': page }, ...at, '--branch', 'gone')).toEqual(['null BRANCH_MISSING']);
  });

  test('mq-verify succeeds for a queue without landings', async () => {
    const empty = { receipts: [], chain: { count: 0, hash: null } };
    expect(await mqVerify({ 'page.json': empty }, ...at)).toEqual({
      code: 0,
      text: 'There are no receipts: nothing has landed.',
    });
  });

  test.each<[string, Record<string, unknown>, string[], RegExp]>([
    ['an empty file', { 'a.json': '\n' }, [], /a\.json is empty/],
    ['text that is not JSON', { 'a.json': 'receipts?' }, [], /a\.json, line 1, is not JSON/],
    [
      'another answer',
      { 'a.json': { queues: [] } },
      [],
      /a\.json: something is not a receipt of a known kind/,
    ],
    [
      'a receipt of a later kind',
      { 'a.json': { number: 4, version: 2 } },
      [],
      /receipt 4 is not a receipt .*version/,
    ],
    ['a head that is none', { 'a.json': [] }, ['--head', '3'], /"3" is not a head of a chain/],
    [
      'a head for no queue',
      { 'a.json': [] },
      ['--after', `1:${'0'.repeat(64)}`],
      /are of one queue; here are 0/,
    ],
    ['an option that is none', { 'a.json': [] }, ['--force'], /Unknown option '--force'/],
  ])('mq-verify refuses %s with exit code 2', async (_, files, args, message) => {
    const { code, text } = await mqVerify(files, ...args);
    expect([code, text]).toEqual([2, expect.stringMatching(message)]);
    expect(text).toMatch(/^mq-verify: .*\(BAD_INPUT\)$/s);
  });

  test('mq-verify refuses a folder without a repository', async () => {
    const folder = join(world.place.root, 'empty');
    await mkdir(folder, { recursive: true });
    for (const path of [folder, join(folder, 'none')])
      expect(await mqVerify({ 'page.json': page }, '--repo', path, '--json')).toEqual({
        code: 2,
        text: JSON.stringify({
          code: 'REPOSITORY_UNKNOWN',
          message: `there is no git repository at ${path}.`,
        }),
      });
  });
});

describe('the installed mq-verify', () => {
  const main = fileURLToPath(new URL('../src/mq-verify.ts', import.meta.url));
  const node = ['--conditions=mq-source', '--import=tsx', main];
  const cwd = fileURLToPath(new URL('..', import.meta.url));

  test('the installed mq-verify reads files, and reports faults with exit code 1', async () => {
    const [name, absent] = [join(world.place.root, 'page.json'), join(world.place.root, 'absent.json')];
    await writeFile(name, JSON.stringify({ ...page, receipts: page.receipts.slice(1) }));
    const call = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, [...node, ...args], { cwd });
    await expect(call(name, ...at)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('✖ RECEIPT_MISSING  Receipt 2 (#2): receipt 1 is missing before it.'),
    });
    await expect(call(absent, ...at)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^mq-verify: .*absent\.json cannot be read: ENOENT.*\(BAD_INPUT\)\n$/),
    });
    expect((await call('--help')).stdout).toMatch(/^mq-verify: does git hold/);
  });

  test('the installed mq-verify reads standard input', async () => {
    const child = spawn(process.execPath, [...node, ...at, '--json'], { cwd });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdin.end(JSON.stringify(page));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, JSON.parse(Buffer.concat(chunks).toString('utf8')).ok]).toEqual([0, true]);
  });
});
