import { expect, test } from 'vitest';
import { BODY_LIMIT_BYTES, bodyOf, type WebhookEvent } from './payload.js';

const merged: WebhookEvent = {
  ...{ type: 'pull_request.merged', timestamp: '2026-03-02T10:26:00.000Z', queueId: 'q', sequence: 41 },
  ...{ repository: { host: 'local', owner: 'acme', name: 'widgets' }, target_branch: 'main' },
  ...{ action: 'merged', status: 'merged', pr_number: 43, title: 'Fix <b> & |pipes|' },
  http_details_url: 'https://mq.example/local/acme/widgets/main/43',
};

test('an event is sent as its flat JSON', () => {
  expect(JSON.parse(bodyOf(merged, 'standard'))).toEqual(merged);
});

test('what does not fit is left out and named, the rest stays', () => {
  const event = { ...merged, settings: 'x'.repeat(30_000), note: 'ä'.repeat(9_000), reason: 'short' };
  const body = bodyOf(event, 'standard');
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_LIMIT_BYTES);
  const { settings, ...rest } = event;
  expect(JSON.parse(body)).toEqual({ ...rest, omitted: ['settings'] });
});

test('the format for chat is one line with a link', () => {
  expect(JSON.parse(bodyOf(merged, 'slack'))).toEqual({
    text: '<https://mq.example/local/acme/widgets/main/43|#43 Fix &lt;b&gt; &amp; ¦pipes¦> was merged into acme/widgets main',
  });
  const { pr_number: _, http_details_url: __, title: ___, ...rest } = merged;
  const batch = {
    ...rest,
    type: 'pull_request_batch.failed',
    pr_numbers: [1, 2],
    failure_reason: 'two\nlines',
  };
  expect(JSON.parse(bodyOf(batch, 'slack')).text).toBe('#1, #2 failed for acme/widgets main (two lines)');
  const alarm = { ...rest, type: 'alarm', sentence: 'Look at it.' };
  expect(JSON.parse(bodyOf(alarm, 'slack')).text).toBe('Alarm in acme/widgets main: Look at it.');
  const hostile = { ...rest, type: 'alarm', sentence: 'The check <!channel> & <https://evil.example|this>.' };
  expect(JSON.parse(bodyOf(hostile, 'slack')).text).toBe(
    'Alarm in acme/widgets main: The check &lt;!channel&gt; &amp; &lt;https://evil.example¦this&gt;.',
  );
  const changed = { ...rest, type: 'queue.changed', target_branch: '<!here>' };
  expect(JSON.parse(bodyOf(changed, 'slack')).text).toBe(
    'The queue of acme/widgets &lt;!here&gt; was changed',
  );
});
