import { type Forge, startForge } from '@mq/test-gitea';
import { hostConformance } from '@mq/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { giteaWorld } from './gitea-world.js';

let forge: Forge;

beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.end());

hostConformance({ describe, test: test.concurrent, expect }, () => giteaWorld(forge));
