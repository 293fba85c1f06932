import type { Findings } from './bench.js';
import { benches } from './benches.js';

/** Messages of a child process: its progress, and finally its results. */
export type Message =
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'found'; readonly findings: Findings };

const tell = (message: Message): void => {
  process.send?.(message);
};

const [name, part] = process.argv.slice(2);
const measure = benches.find((bench) => bench.name === name)?.parts[Number(part)];
if (measure === undefined) throw new Error(`There is no part ${part} of a bench called ${name}.`);
tell({ type: 'found', findings: measure('full', (text) => tell({ type: 'note', text })) });
