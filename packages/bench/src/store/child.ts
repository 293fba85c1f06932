import { type RoundAsked, roundOf } from './round.js';

const { url, rounds, size }: RoundAsked = JSON.parse(process.argv[2] ?? '{}');
for (let n = 1; n <= rounds; n += 1) process.send?.(await roundOf(url, n, size));
process.disconnect();
