import { parentPort } from 'node:worker_threads';
import { type SquallClass, weatherOf } from './weather.js';
import { simulate } from './world/world.js';

/** A seed to run, and the squalls of its world; null lets the seed draw them. */
export interface SeedAsked {
  readonly seed: number;
  readonly squalls: readonly SquallClass[] | null;
}

/** Runs one seed per message and posts its report. */
parentPort?.on('message', ({ seed, squalls }: SeedAsked) => {
  void simulate(seed, { weather: weatherOf(seed, squalls) }).then((report) =>
    parentPort?.postMessage(report),
  );
});
