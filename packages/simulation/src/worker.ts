import { parentPort } from 'node:worker_threads';
import { simulate } from './world/world.js';

/** One seed at a time: a message names it, the report goes back. */
parentPort?.on('message', (seed: number) => {
  void simulate(seed).then((report) => parentPort?.postMessage(report));
});
