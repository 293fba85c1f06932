import { parentPort } from 'node:worker_threads';
import { type TriggeredFault, weatherOf } from './weather.js';
import { simulate } from './world/world.js';

/** A seed to run, and the triggered faults of its world; null lets the seed draw them. */
export interface SeedToRun {
  readonly seed: number;
  readonly triggered: readonly TriggeredFault[] | null;
}

/** Runs one seed per message and posts its report. */
parentPort?.on('message', ({ seed, triggered }: SeedToRun) => {
  void simulate(seed, { weather: weatherOf(seed, triggered) }).then((report) =>
    parentPort?.postMessage(report),
  );
});
