import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { Summary, type SummaryData } from './summary.js';

interface Block {
  /** The digest of the bundle that ran these seeds. */
  readonly sources: string;
  readonly from: number;
  readonly summary: SummaryData;
}

/**
 * The results of a long run so far, one line per block of seeds in a file, so that an interrupted run resumes after its last
 * block. Use the file from one process at a time.
 */
export class Kept {
  readonly summary = new Summary();
  readonly #file: string;
  readonly #sources: string;

  private constructor(file: string, sources: string) {
    this.#file = file;
    this.#sources = sources;
  }

  /** Throws if the file has results of other sources, or of seeds that do not start at `from`. */
  static async open(file: string, bundlePath: string, from: number): Promise<Kept> {
    const kept = new Kept(file, await sourcesOf(bundlePath));
    const text = await textOf(file);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    for (const line of whole.split('\n').slice(0, -1)) {
      const block: Block = JSON.parse(line);
      if (block.sources !== kept.#sources)
        throw new Error(`${file} has results of other sources. Use another file.`);
      if (block.from !== from + kept.summary.seeds)
        throw new Error(
          `${file} does not continue from seed ${from + kept.summary.seeds}. Use another file.`,
        );
      kept.summary.addData(block.summary);
    }
    // Removes a line that was cut off while it was written.
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

/** The digest of a bundle without its source map, whose paths depend on the folder. */
const sourcesOf = async (bundlePath: string): Promise<string> => {
  const [code = ''] = (await readFile(bundlePath, 'utf8')).split('\n//# sourceMappingURL=');
  return createHash('sha256').update(code).digest('hex');
};
