import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { Summary, type SummaryData } from './summary.js';

interface Block {
  /** Of the bundle that lived through these seeds. */
  readonly sources: string;
  readonly from: number;
  readonly summary: SummaryData;
}

/**
 * What a run of hours has come to so far: a line for each block of seeds, in a file, so that a run that was cut off goes on behind its last
 * block. One process at a time.
 */
export class Kept {
  readonly summary = new Summary();
  readonly #file: string;
  readonly #sources: string;

  private constructor(file: string, sources: string) {
    this.#file = file;
    this.#sources = sources;
  }

  /** Throws where the file tells of other sources, or not of seeds from `from` on: sums of both would be of neither. */
  static async open(file: string, bundlePath: string, from: number): Promise<Kept> {
    const kept = new Kept(file, await sourcesOf(bundlePath));
    const text = await textOf(file);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    for (const line of whole.split('\n').slice(0, -1)) {
      const block: Block = JSON.parse(line);
      if (block.sources !== kept.#sources) throw new Error(`${file} is of other sources: give another file.`);
      if (block.from !== from + kept.summary.seeds)
        throw new Error(`${file} does not go on from seed ${from + kept.summary.seeds}: give another file.`);
      kept.summary.addData(block.summary);
    }
    // A line that was cut off while it was written would spoil the next one.
    if (whole !== text) await writeFile(file, whole);
    return kept;
  }

  async add(from: number, summary: Summary): Promise<void> {
    const block: Block = { sources: this.#sources, from, summary: summary.data() };
    await appendFile(this.#file, `${JSON.stringify(block)}\n`);
    this.summary.addData(block.summary);
  }
}

const textOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
};

/** Without the source map, whose paths depend on the folder of the bundle. */
const sourcesOf = async (bundlePath: string): Promise<string> => {
  const [code = ''] = (await readFile(bundlePath, 'utf8')).split('\n//# sourceMappingURL=');
  return createHash('sha256').update(code).digest('hex');
};
