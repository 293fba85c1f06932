import { LOAD, sendLoad } from './load.js';
import { type RoundAsked, roundOf } from './round.js';

const [first = '{}'] = process.argv.slice(2);
if (first === LOAD) await sendLoad();
else {
  const { url, rounds, size }: RoundAsked = JSON.parse(first);
  for (let n = 1; n <= rounds; n += 1) process.send?.(await roundOf(url, n, size));
  process.disconnect();
}
