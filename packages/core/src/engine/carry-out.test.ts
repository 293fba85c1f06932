import { aPullRequest, effectIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aHost, landing, performing } from '../../test/performer-world.js';

describe('what the host shows is dated by when it was asked', () => {
  test('where the target is, however long the answer takes', async () => {
    let takesLong = async (): Promise<unknown> => undefined;
    const host = aHost({
      getBranch: async () => {
        await takesLong();
        return { head: shaOf(1), requiredChecks: null };
      },
    });
    const wish = { id: effectIdOf(1), type: 'read_branch', branch: 'main', known: null } as const;
    const world = await performing([wish], host);
    const askedAt = world.time.now();
    takesLong = () => world.clock.advance(3_000);
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ target: { readAt: askedAt } }]);
  });

  test('who has changed when it was to land, whatever the clock of the host says', async () => {
    const pulls = [aPullRequest(1, { readAt: 1 })];
    const host = aHost({ land: async () => ({ kind: 'members_changed', pulls, missing: [] }) });
    const world = await performing([landing], host);
    const askedAt = world.time.now();
    await world.pass();

    expect(await world.learnt()).toMatchObject([{ outcome: { pulls: [{ number: 1, readAt: askedAt }] } }]);
  });
});
