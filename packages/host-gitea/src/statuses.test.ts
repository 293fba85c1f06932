import { shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { ServerlessApi } from '../test/gitea-fakes.js';
import type { GiteaApi } from './api.js';
import { PAGE_SIZE } from './pulls.js';
import type { GiteaStatus } from './shapes.js';
import { checksOf, readStatuses, STATUS_PAGES_LIMIT } from './statuses.js';

const status = (
  id: number,
  context: string,
  state: string,
  more: Partial<GiteaStatus> = {},
): GiteaStatus => ({
  ...{ id, context, status: state, description: '', target_url: '', created_at: id * 1000 },
  ...more,
});

const shown = (...statuses: readonly GiteaStatus[]) =>
  checksOf(statuses)
    .map(({ id, name, conclusion, status: at }) => `${id} ${name} ${conclusion ?? at}`)
    .sort();

test('a pending status and the next final one are one check with the id of the first', () => {
  expect(shown(status(1, 'unit', 'pending'))).toEqual(['1 unit running']);
  expect(shown(status(1, 'unit', 'pending'), status(2, 'unit', 'success'))).toEqual(['1 unit success']);
});

test('a second pending status after an end is another check of the same name', () => {
  const both = [status(1, 'unit', 'pending'), status(2, 'unit', 'failure'), status(3, 'unit', 'pending')];
  expect(shown(...both)).toEqual(['1 unit failure', '3 unit running']);
  expect(shown(...both, status(4, 'unit', 'success'))).toEqual(['1 unit failure', '3 unit success']);
});

test('a final status without a pending one is a whole check, and a repeated pending status starts no new check', () => {
  expect(shown(status(1, 'unit', 'success'), status(2, 'unit', 'failure'))).toEqual([
    '1 unit success',
    '2 unit failure',
  ]);
  expect(shown(status(1, 'unit', 'pending'), status(2, 'unit', 'pending'))).toEqual(['1 unit running']);
});

test('each context is a separate check, and the order of the answer does not matter', () => {
  const all = [
    status(4, 'lint', 'success'),
    status(3, 'unit', 'error'),
    status(2, 'lint', 'pending'),
    status(1, 'unit', 'pending'),
  ];
  expect(shown(...all)).toEqual(['1 unit infrastructure', '2 lint success']);
});

test('an unknown state ends a check with the conclusion unknown, never as a success', () => {
  expect(shown(status(1, 'unit', 'splendid'), status(2, 'lint', 'warning'))).toEqual([
    '1 unit unknown',
    '2 lint failure',
  ]);
});

test('a time in whole seconds counts as the end of its second, so that a check never seems older than its test run', () => {
  const [check] = checksOf([status(1, 'unit', 'success', { created_at: 5_000 })]);
  expect([check?.startedAt, check?.completedAt]).toEqual([5_999, 5_999]);
});

/** A commit with statuses 1 to `count`. One more is set after each page that is read, up to `setMeanwhile`. */
class CommitApi extends ServerlessApi {
  constructor(
    private count: number,
    private setMeanwhile = 0,
  ) {
    super();
  }

  override async call(path: string) {
    const query = new URLSearchParams(path.slice(path.indexOf('?')));
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    const ids = Array.from({ length: this.count }, (_, index) => index + 1);
    if (query.get('sort') === 'highestindex') ids.reverse();
    if (this.setMeanwhile > 0) {
      this.setMeanwhile -= 1;
      this.count += 1;
    }
    const value = ids.slice((page - 1) * limit, page * limit).map((id) => ({
      ...{ id, status: 'success', context: `check ${id}`, description: '', target_url: '' },
      created_at: '2026-01-01T00:00:00Z',
    }));
    return { status: 200, value, date: null };
  }
}

const idsRead = async (api: GiteaApi) => {
  const statuses = await readStatuses(api, '/repos/team/app', shaOf(1));
  return statuses.map(({ id }) => id).sort((one, other) => one - other);
};

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('of a commit with more statuses than the limit, the newest are read', async () => {
  const limit = STATUS_PAGES_LIMIT * PAGE_SIZE;
  expect(await idsRead(new CommitApi(limit + 7))).toEqual(from(8, limit + 7));
});

test('statuses that are set while others are read hide none, and double none', async () => {
  expect(await idsRead(new CommitApi(120, 2))).toEqual(from(1, 120));
});
