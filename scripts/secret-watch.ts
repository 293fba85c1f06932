import { requireNoLeak, watchPlatform } from '@mq/secret-watch';
import { afterEach } from 'vitest';

// Vitest loads this before each file of tests, in every project.
watchPlatform();
afterEach(requireNoLeak);
