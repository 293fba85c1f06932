import type { Bench } from './bench.js';
import { estimate } from './benches/estimate.js';
import { eventCost } from './benches/event-cost.js';
import { groupTesting } from './benches/group-testing.js';
import { laneLookup } from './benches/lane-lookup.js';
import { memory } from './benches/memory.js';
import { throughput } from './benches/throughput.js';

/** All benches, in the order of running and reporting. */
export const benches: readonly Bench[] = [eventCost, throughput, estimate, laneLookup, groupTesting, memory];
