import { describe, expect, test } from 'vitest';
import { hostConformance } from '../src/host-conformance/host-conformance.js';
import { fakeHostWorld } from './fake-host-world.js';

hostConformance({ describe, test, expect }, () => fakeHostWorld());

describe('ignoring letter case', () => {
  hostConformance({ describe, test, expect }, () => fakeHostWorld({ ignoresCase: true }));
});
