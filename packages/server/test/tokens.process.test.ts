import { startPostgres, type TestPostgres } from '@mq/test-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase } from './fresh-database.js';
import { serverWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** A replica may answer with a read of half a second ago, and a read may take as long. */
const REVOCATION_LIMIT_MS = 1_000;

test('T-P01 a token that one of two servers revokes is refused by the other within a second', async () => {
  const env = {
    MQ_DATA: temporaryFolder(),
    DATABASE_URL: (await freshDatabase(postgres.url)).href,
    MQ_TOKEN: 'shared',
  };
  const [here, there] = await Promise.all([serverWith(env), serverWith(env)]);
  const asked = { name: 'ci', scopes: ['read'], person: 'ada' };
  const made = (await here.call('createToken', asked)).json;
  const statusThere = async () => (await there.call('whoami', {}, { 'x-api-token': made.token })).status;
  expect(await statusThere()).toBe(200);
  const revoked = await here.call('revokeToken', { tokenId: made.tokenId });
  const revokedAt = performance.now();
  expect(revoked.json.revokedTokenIds).toEqual([made.tokenId]);

  await until(statusThere, (status) => status === 401);
  expect(performance.now() - revokedAt).toBeLessThan(REVOCATION_LIMIT_MS);
  expect(
    (await here.call('whoami', {}, { authorization: `Bearer ${made.token}`, 'x-api-token': '' })).status,
  ).toBe(401);
  expect([here, there].map((one) => one.stdout() + one.stderr()).join('')).not.toContain(made.token);
  expect(here.stderr()).toContain(made.tokenId);
});
