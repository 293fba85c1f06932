import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';

/** A declaration of a queue, as an infrastructure-as-code provider sends it: any subset of the settings. */
const declared = fc.record(
  {
    state: fc.constantFrom('running', 'paused', 'draining', 'PAUSED'),
    mode: fc.constantFrom('single', 'parallel', 'PARALLEL'),
    concurrency: fc.integer({ min: 1, max: 40 }),
    bisectionConcurrency: fc.integer({ min: 1, max: 40 }),
    batch: fc.boolean(),
    batchingMinSize: fc.integer({ min: 1, max: 20 }),
    mergeMethod: fc.constantFrom('squash', 'merge_commit', 'rebase'),
    autoConcurrency: fc.boolean(),
    autoBatching: fc.boolean(),
    canOptimisticallyMerge: fc.boolean(),
    pendingFailureDepth: fc.integer({ min: 0, max: 5 }),
    testingTimeoutMinutes: fc.integer({ min: 0, max: 600 }),
    batchingMaxWaitTimeMinutes: fc.integer({ min: 1, max: 60 }),
    notReadyTimeoutHours: fc.integer({ min: 0, max: 48 }),
    freezeUntil: fc.constantFrom(null, '2001-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'),
    freezeReason: fc.constantFrom(null, 'release day'),
    freezeAllowsUrgent: fc.boolean(),
    statuses: fc.constantFrom(
      { requiredStatuses: ['unit'] },
      { requiredStatuses: ['lint', 'unit'] },
      { requiredStatuses: ['lint', 'unit'], requiredStatusesSource: 'queue' },
      { requiredStatuses: [], allowNoRequiredStatuses: true },
      { deleteRequiredStatuses: true },
      {},
    ),
  },
  { requiredKeys: ['statuses'] },
);

/** The part of an answer that a client compares with what it declared. */
const echoOf = (body: object, answer: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.keys(body)
      .filter((key) => !key.startsWith('delete') && !key.startsWith('allow'))
      .map((key) => [key, comparable(key, answer[key])]),
  );

/** Enumerations count in any letter case, lists of checks in any order. */
const comparable = (key: string, value: unknown): unknown => {
  if (key === 'requiredStatuses' && Array.isArray(value)) return [...value].sort();
  return typeof value === 'string' ? value.toLowerCase() : value;
};

test('any sequence of applies converges, and each answers the requested settings, except for the state during a mode switch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(declared, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (applies, isTesting) => {
        const { q, ask } = await engineWorld({}, { checks: ['unit', 'lint'] });
        if (isTesting) await q.submit(1);
        for (const { statuses, ...settings } of applies) {
          const body = { ...settings, ...statuses };
          const first = await ask('updateQueue', body);
          expect(first.status).toBe(200);
          const isSwitching = first.json.state === 'switching_modes';
          const { state: _, ...stateless } = body as { state?: string };
          const compared = isSwitching ? stateless : body;
          const wanted = echoOf(compared, body as Readonly<Record<string, unknown>>);
          expect(echoOf(compared, first.json)).toEqual(wanted);

          const read = (await ask('getQueue')).json;
          expect(echoOf(compared, read)).toEqual(wanted);
          const second = (await ask('updateQueue', body)).json;
          const { warnings: __, landingUnderWay: ____, ...same } = first.json;
          // A mode switch may end between the two requests.
          const { state: _s, activeMode: _m, settingsVersion: _v, ...besidesSwitch } = same;
          expect(second).toMatchObject(isSwitching ? besidesSwitch : same);
          const { stateReason: ___, ...back } = read;
          const third = await ask('updateQueue', isSwitching ? { ...back, state: undefined } : back);
          expect(third.status).toBe(200);
          expect(third.json.requiredStatusesSource).toBe(read.requiredStatusesSource);
        }
      },
    ),
    { numRuns: 25 },
  );
});
