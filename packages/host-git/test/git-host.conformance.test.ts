import { hostConformance } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { gitWorld } from './git-world.js';

hostConformance({ describe, test: test.concurrent, expect }, () => gitWorld());
