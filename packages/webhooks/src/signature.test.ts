import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signedHeaders } from './signature.js';

const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map(
  (key) => `whsec_${key.toString('base64')}`,
) as [string, string];
const now = { id: 'msg_1', at: Date.now(), body: '{"type":"alarm","text":"ä"}' };

test('T-O04 during a rotation a receiver verifies with the old and with the new secret, and with no other', () => {
  const headers = signedHeaders({ ...now, secrets: [current, old] });
  for (const secret of [old, current])
    expect(new Webhook(secret).verify(now.body, headers)).toEqual(JSON.parse(now.body));
  const other = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  expect(() => new Webhook(other).verify(now.body, headers)).toThrow();
  expect(() => new Webhook(old).verify(now.body.replace('ä', 'a'), headers)).toThrow();
});

test('the published vector of the specification is signed as it says', () => {
  const headers = signedHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1_614_265_330_000,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(headers['webhook-timestamp']).toBe('1614265330');
});

test('the headers of Svix carry the same values', () => {
  const headers = signedHeaders({ ...now, secrets: [current] });
  const key = Buffer.from(current.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${now.body}`;
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  for (const name of ['id', 'timestamp', 'signature'])
    expect(headers[`svix-${name}`]).toBe(headers[`webhook-${name}`]);
});
