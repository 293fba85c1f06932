import { requireNoLeak } from '@mq/secret-watch';
import { afterEach } from 'vitest';

// Vitest loads this before each file of tests.
afterEach(requireNoLeak);
