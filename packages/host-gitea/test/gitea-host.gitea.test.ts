import { forgeAt } from '@mq/test-gitea';
import { hostConformance } from '@mq/testkit';
import { describe, expect, inject, test } from 'vitest';
import { giteaWorld } from './gitea-world.js';

const forge = forgeAt(inject('gitea'));

hostConformance({ describe, test: test.concurrent, expect }, () => giteaWorld(forge));
