import type { Finding, MergeQueue } from '@mq/core';
import { expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';
import { apiWith } from './world.js';

test('a diagnosis shows the time, the rights of the token, and the findings about each queue', async () => {
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

test('a diagnosis repairs only on request, and then before it examines the service', async () => {
  let isOff = true;
  const finding: Finding = {
    ...{ code: 'HOST_MARKS_OFF', severity: 'warning', subject: 'forge team/app' },
    ...{ sentence: 'It is off.', remedy: 'Switch it on.', isRepairable: true },
  };
  const service = {
    version: '1.0.0',
    findings: async ({ repair }: { readonly repair: boolean }) => {
      if (repair) isOff = false;
      return isOff ? [finding] : [];
    },
  };
  const mq = { diagnose: async () => ({ findings: [], queues: 1, isComplete: true }) };
  const { post } = await apiWith({ mq: mq as unknown as MergeQueue, service });
  expect((await post('diagnose', {})).json.findings).toEqual([finding]);
  expect((await post('diagnose', { repair: true })).json.findings).toEqual([]);
});
