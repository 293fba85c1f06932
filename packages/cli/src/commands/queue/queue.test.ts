import { describe, expect, test } from 'vitest';
import { queue } from '../../../test/answers.js';
import { CliError } from '../../failure.js';
import { declarationIn, declaredOf, differences } from './declaration.js';
import { settingsIn } from './settings.js';

const repo = { host: 'local', owner: 'acme', name: 'widgets' };
const fileOf = (settings: object) =>
  JSON.stringify({ queues: [{ repo, targetBranch: 'main', ...settings }] });

const refusalOf = (call: () => unknown): CliError => {
  try {
    call();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
};

describe('settings of the command line', () => {
  test('settings of the command line are JSON if they can be, and strings otherwise', () => {
    expect(
      settingsIn([
        'concurrency=3',
        'batch=true',
        'mode=parallel',
        'requiredStatuses=["unit"]',
        'stateReason=a=b',
      ]),
    ).toEqual({
      concurrency: 3,
      batch: true,
      mode: 'parallel',
      requiredStatuses: ['unit'],
      stateReason: 'a=b',
    });
  });

  test.each([
    ['concurency=1', 'Did you mean concurrency? '],
    ['merge-method=squash', 'Did you mean mergeMethod? '],
    ['Statuses=[]', 'Did you mean requiredStatuses? '],
    ['foo=1', 'The settings are '],
    ['__proto__=1', 'The settings are '],
  ])(
    'an unknown setting is answered with the one that was probably meant, and all names: %s',
    (text, start) => {
      const error = refusalOf(() => settingsIn([text]));

      expect(error).toMatchObject({
        code: 'SETTING_WRONG',
        remedy: expect.stringMatching(`^${start.replace('?', '\\?')}`),
      });
      expect(error.remedy).toContain('concurrency, ');
    },
  );

  test.each([
    ['foo=1', 'no setting "foo"'],
    ['concurrency', 'is not a setting'],
    ['__proto__=1', 'no setting "__proto__"'],
  ])('%s is refused', (text, message) => {
    expect(() => settingsIn([text])).toThrow(message);
  });
});

describe('a declared queue', () => {
  test('a declared queue that was exported differs in nothing', () => {
    const answer = queue([]);

    expect(differences(declaredOf(answer), answer)).toEqual([]);
  });

  test('a declared queue leaves the required checks of the host to the host, and keeps pinned ones', () => {
    expect(declaredOf(queue([]))).not.toHaveProperty('requiredStatuses');
    expect(declaredOf({ ...queue([]), requiredStatusesSource: 'queue' })).toMatchObject({
      requiredStatuses: ['unit'],
      requiredStatusesSource: 'queue',
    });
  });

  test('a declared queue differs in each setting that is not as declared, and in all settings if there is no queue', () => {
    const declared = declarationIn(fileOf({ concurrency: 5, mode: 'parallel' }), 'queues.json').queues[0]!;

    expect(differences(declared, queue([]))).toEqual([{ setting: 'concurrency', from: 2, to: 5 }]);
    expect(differences(declared, null)).toEqual([
      { setting: 'concurrency', to: 5 },
      { setting: 'mode', to: 'parallel' },
    ]);
  });

  test('a declared queue with null for bisectionConcurrency equals a queue in which it follows', () => {
    const declared = declarationIn(fileOf({ bisectionConcurrency: null }), 'queues.json').queues[0]!;

    expect(differences(declared, queue([]))).toEqual([]);
  });

  test.each([
    ['{', 'is not JSON'],
    ['[]', 'has no list `queues`'],
    [JSON.stringify({ queues: [{ repo }] }), 'queues[0] has no `targetBranch`'],
    [JSON.stringify({ queues: [{ targetBranch: 'main' }] }), 'queues[0] has no `repo.host`'],
    [fileOf({ concurency: 3 }), 'has an unknown setting `concurency`. Did you mean `concurrency`?'],
    [fileOf({ state: 'paused' }), 'declares `state`, which is a state and not a setting'],
  ])('a declared queue of a file that does not fit is refused with its place: %s', (text, message) => {
    expect(() => declarationIn(text, 'queues.json')).toThrow(message);
  });
});
