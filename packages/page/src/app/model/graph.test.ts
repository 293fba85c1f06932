import { expect, test } from 'vitest';
import type { Run } from '../data/queue-view.js';
import { graphOf, progressOf } from './graph.js';

type Drawn = Pick<Run, 'testRunId' | 'prNumbers' | 'testedOnTopOf'>;

const run = (testRunId: string, prNumbers: number[], testedOnTopOf: number[] = []): Run =>
  ({
    testRunId,
    prNumbers,
    testedOnTopOf,
    createdAt: `2026-11-26T12:00:0${testRunId}.000Z`,
  }) satisfies Drawn & {
    createdAt: string;
  } as unknown as Run;

const placesOf = (runs: readonly Run[]) =>
  Object.fromEntries(
    graphOf(runs).nodes.map(({ run: { testRunId }, column, row, below }) => [
      testRunId,
      [column, row, below?.run.testRunId ?? null],
    ]),
  );

test('a test run is drawn to the right of the nearest one that it stands on', () => {
  expect(placesOf([run('3', [44], [41, 42, 43]), run('1', [41]), run('2', [42, 43], [41])])).toEqual({
    1: [0, 0, null],
    2: [1, 0, '1'],
    3: [2, 0, '2'],
  });
});

test('lanes and alternatives have rows of their own', () => {
  expect(
    placesOf([run('1', [41]), run('2', [42], [41]), run('3', [43], [41]), run('4', [50]), run('5', [])]),
  ).toEqual({
    1: [0, 0, null],
    2: [1, 0, '1'],
    3: [1, 1, '1'],
    4: [0, 2, null],
    5: [0, 3, null],
  });
});

test('a graph of very many test runs is cut, and says by how much', () => {
  const graph = graphOf(
    Array.from({ length: 70 }, (_, index) => run(String(index % 10) + index, [index + 1])),
  );
  expect(graph.nodes).toHaveLength(60);
  expect(graph.left).toBe(10);
});

test('the progress counts required checks that have not begun', () => {
  const checks = [{ status: 'COMPLETED' as const, conclusion: 'FAILURE' }];
  expect(progressOf({ requiredStatuses: ['unit', 'lint'], checks })).toEqual({
    done: 1,
    failed: 1,
    total: 2,
  });
});
