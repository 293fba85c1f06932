import { parentPort } from 'node:worker_threads';
import { type SquallClass, weatherOf } from './weather.js';
import { simulate } from './world/world.js';

/** What is lived through: a seed, and the squalls of its world; null leaves them to the seed. */
export interface SeedAsked {
  readonly seed: number;
  readonly squalls: readonly SquallClass[] | null;
}

/** One seed at a time: a message names it, the report goes back. */
parentPort?.on('message', ({ seed, squalls }: SeedAsked) => {
  void simulate(seed, { weather: weatherOf(seed, squalls) }).then((report) =>
    parentPort?.postMessage(report),
  );
});
