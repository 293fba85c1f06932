import type { Bench } from './bench.js';
import { estimate } from './benches/estimate.js';
import { eventCost } from './benches/event-cost.js';
import { groupTesting } from './benches/group-testing.js';
import { laneLookup } from './benches/lane-lookup.js';
import { memory } from './benches/memory.js';
import { throughput } from './benches/throughput.js';

/** In the order in which they are run and told. */
export const benches: readonly Bench[] = [eventCost, throughput, estimate, laneLookup, groupTesting, memory];
