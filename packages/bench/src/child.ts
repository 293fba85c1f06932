import type { Findings } from './bench.js';
import { benches } from './benches.js';

/** What a child tells: how far it has come, and at last what it found. */
export type Message =
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'found'; readonly findings: Findings };

const tell = (message: Message): void => {
  process.send?.(message);
};

const bench = benches.find(({ name }) => name === process.argv[2]);
if (bench === undefined) throw new Error(`There is no bench called ${process.argv[2]}.`);
tell({ type: 'found', findings: bench.run('full', (text) => tell({ type: 'note', text })) });
