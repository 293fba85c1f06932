import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Candidate, Check, TestRunId } from '@mq/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GitHost, type GitHostOptions, gitHost } from '../src/index.js';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { built } from './requests.js';

/** Ends only by SIGKILL: a test that waits for its end times out. */
const LONG = 'trap "" TERM; echo $$ > $MARK; while true; do sleep 1; done';

const runOf = (number: number): TestRunId =>
  `00000003-0000-4000-8000-${String(number).padStart(12, '0')}` as TestRunId;

let world: GitWorld;
let candidate: Candidate;
let mark: string;
const hosts: GitHost[] = [];

beforeEach(async () => {
  world = await gitWorld();
  candidate = await built(world, [await world.open({ files: { 'a.txt': 'a\n' } })]);
  mark = join(world.place.root, 'mark');
  await world.configure('long', LONG.replace('$MARK', mark), 600);
  await world.configure('short', `touch ${mark}.short`);
});

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
  await world.close();
});

/** A host whose CI has one slot. */
const narrow = (options: Partial<GitHostOptions> = {}): GitHost => {
  const host = gitHost({
    repositories: { root: world.place.root },
    concurrency: 1,
    killGraceMs: 500,
    ...options,
  });
  hosts.push(host);
  return host;
};

const start = (host: GitHost, name: string, runId: TestRunId) =>
  host.startChecks({ repo, runId, commit: candidate.commit, names: [name] });

const cancel = (host: GitHost, runId: TestRunId) =>
  host.cancelChecks({ repo, runId, commit: candidate.commit });

const checksOf = async (host: GitHost, runId: TestRunId): Promise<readonly Check[]> =>
  ((await host.getChecks(repo, [candidate.commit])).get(candidate.commit) ?? []).filter(
    (check) => check.runId === runId,
  );

const summed = (checks: readonly Check[]) =>
  checks.map(({ name, status, conclusion }) => [name, status, conclusion]);

const begun = async (): Promise<string> => {
  for (;;) {
    const text = await readFile(mark, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text.trim();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const isRunning = async (pid: string): Promise<boolean> =>
  !/^\d+ \(.*\) Z/s.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '0 (gone) Z'));

describe('while one long check uses the only slot', () => {
  test('forty queued checks are cancelled without waiting for the running one, which continues', async () => {
    const host = narrow();
    await start(host, 'long', runOf(1));
    const pid = await begun();
    const waiting = Array.from({ length: 40 }, (_, index) => runOf(index + 2));
    for (const runId of waiting) await start(host, 'short', runId);
    await Promise.all(waiting.map((runId) => cancel(host, runId)));
    for (const runId of waiting)
      expect(summed(await checksOf(host, runId))).toEqual([['short', 'completed', 'cancelled']]);
    expect(summed(await checksOf(host, runOf(1)))).toEqual([['long', 'running', null]]);
    expect(await isRunning(pid)).toBe(true);
    expect(existsSync(`${mark}.short`)).toBe(false);
  });

  test('a check without a slot is queued, and starts when a slot is free', async () => {
    const host = narrow();
    await start(host, 'long', runOf(1));
    await begun();
    await start(host, 'short', runOf(2));
    const [queued] = await checksOf(host, runOf(2));
    expect(queued?.status).toBe('queued');
    const askedAt = Date.now();
    await cancel(host, runOf(1));
    await start(host, 'short', runOf(1));
    await host.checksEnded();
    const [ended] = await checksOf(host, runOf(2));
    expect([ended?.status, ended?.conclusion]).toEqual(['completed', 'success']);
    expect(ended?.id).toBe(queued?.id);
    expect(ended?.startedAt).toBeGreaterThanOrEqual(askedAt);
  });

  test('closing a host ends the running check, and the next host restarts it and the queued ones', async () => {
    const work = join(world.place.root, 'work');
    const host = narrow({ workFolder: work });
    await start(host, 'long', runOf(1));
    const pid = await begun();
    await start(host, 'short', runOf(2));
    const [left] = await checksOf(host, runOf(1));
    await host.close();
    // A closed host does not take over the check that it has just left, nor reports its end.
    expect(summed(await checksOf(host, runOf(1)))).toEqual([['long', 'queued', null]]);
    expect(await isRunning(pid)).toBe(false);
    expect(await readdir(work)).toEqual([]);
    expect(existsSync(`${mark}.short`)).toBe(false);
    await rm(mark);

    const other = narrow({ concurrency: 2 });
    expect((await checksOf(other, runOf(1)))[0]).toMatchObject({ id: left?.id, conclusion: null });
    const again = await begun();
    // The short one may have ended by now.
    expect((await checksOf(other, runOf(2))).map(({ name }) => name)).toEqual(['short']);
    await cancel(other, runOf(1));
    await other.checksEnded();
    expect(await isRunning(again)).toBe(false);
    expect(summed(await checksOf(other, runOf(2)))).toEqual([['short', 'completed', 'success']]);
  });

  test('a check is restarted however often its host is closed', async () => {
    await start(narrow(), 'long', runOf(1));
    for (let closed = 0; closed < 6; closed += 1) {
      await begun();
      await hosts.at(-1)?.close();
      await rm(mark);
      expect((await checksOf(narrow(), runOf(1)))[0]?.conclusion).toBe(null);
    }
    await begun();
    await cancel(narrow(), runOf(1));
  });
});

describe('a command that ignores SIGTERM', () => {
  test('a command that ignores SIGTERM is cancelled at once, but keeps its slot until it has ended, and closing waits for it', async () => {
    const host = narrow({ killGraceMs: 8_000 });
    await start(host, 'long', runOf(1));
    const pid = await begun();
    await cancel(host, runOf(1));
    expect(summed(await checksOf(host, runOf(1)))).toEqual([['long', 'completed', 'cancelled']]);
    expect(await isRunning(pid)).toBe(true);
    await start(host, 'short', runOf(2));
    expect(summed(await checksOf(host, runOf(2)))).toEqual([['short', 'queued', null]]);
    await host.close();
    expect(await isRunning(pid)).toBe(false);
    expect(summed(await checksOf(host, runOf(1)))).toEqual([['long', 'completed', 'cancelled']]);
  });

  test('a command is also ended by another host object that cancels it', async () => {
    const host = narrow();
    await start(host, 'long', runOf(1));
    const pid = await begun();
    while ((await checksOf(host, runOf(1)))[0]?.status !== 'running');
    const other = narrow();
    await cancel(other, runOf(1));
    await host.checksEnded();
    expect(summed(await checksOf(host, runOf(1)))).toEqual([['long', 'completed', 'cancelled']]);
    expect(await isRunning(pid)).toBe(false);
  });
});
