import { readFile } from 'node:fs/promises';
import { generate, isLoadName, specs } from './generated.js';
import { parseWorkload, type Variant, variants, varied, type Workload, withRunners } from './workload.js';

const FILE_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * The workloads of a name: one per seed of a generated load (`E2a`, `E2a/all` for a variant, or `E2a/W3` with three runners),
 * or the one in a `.json` file.
 */
export const loadsOf = async (name: string, seeds: readonly number[]): Promise<readonly Workload[]> => {
  const [base = '', variant] = name.endsWith('.json') ? [name] : name.split('/');
  const plain = base.endsWith('.json') ? [await readWorkload(base)] : generated(base, seeds);
  if (variant === undefined) return plain;
  const [, runners] = /^W([1-9]\d{0,2})$/.exec(variant) ?? [];
  if (runners !== undefined) return plain.map((load) => withRunners(load, Number(runners)));
  if (!isVariant(variant))
    throw new Error(
      `There is no variant ${variant}. There are: ${variants.join(', ')}, and W2 for two runners.`,
    );
  return plain.map((load) => varied(load, variant));
};

const isVariant = (text: string): text is Variant => (variants as readonly string[]).includes(text);

const generated = (name: string, seeds: readonly number[]): readonly Workload[] => {
  if (!isLoadName(name))
    throw new Error(
      `There is no load ${name}. There are: ${Object.keys(specs).join(', ')}, and files *.json.`,
    );
  return seeds.map((seed) => generate(name, seed));
};

const readWorkload = async (path: string): Promise<Workload> => {
  const bytes = await readFile(path);
  if (bytes.length > FILE_LIMIT_BYTES) throw new Error(`${path} is larger than ${FILE_LIMIT_BYTES} bytes.`);
  try {
    return parseWorkload(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new Error(`${path} is not a workload: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const SEEDS_LIMIT = 1_000;

/** Parses `1-4` or `1,3,23`. Throws if that is invalid. */
export const seedsOf = (text: string): readonly number[] => {
  const seeds = text.split(',').flatMap((part) => {
    const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part.trim()) ?? [];
    const count = Number(to) - Number(from) + 1;
    if (from === '' || count < 1 || count > SEEDS_LIMIT)
      throw new Error(`Seeds are written as 1-4 or 1,3,23, at most ${SEEDS_LIMIT}; not as ${text}.`);
    return Array.from({ length: count }, (_, index) => Number(from) + index);
  });
  return seeds.slice(0, SEEDS_LIMIT);
};
