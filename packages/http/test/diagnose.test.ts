import { expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';

test('a diagnosis tells the clock, the rights of the token, and what is wrong with each queue', async () => {
  const { ask } = await engineWorld({
    canOptimisticallyMerge: true,
    pendingFailureDepth: 1,
    mode: 'parallel',
  });

  const { status, json } = await ask('diagnose', {});

  expect(status).toBe(200);
  expect(json.queues).toBe(1);
  expect(json.findings.map(({ code }: { code: string }) => code)).toContain('OPTIMISTIC_WITH_DEPTH');
  expect(json.token.scopes).toContain('admin');
  expect(Math.abs(Date.parse(json.time) - Date.now())).toBeLessThan(60_000);
});
