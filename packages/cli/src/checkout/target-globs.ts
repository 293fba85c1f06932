import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';

/** A glob of paths as a pattern: `*` and `?` stay within a folder, `**` does not. */
export const globPattern = (glob: string): RegExp => {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(
      /\*\*\/|\*\*|\*|\?/g,
      (part) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' })[part] ?? '',
    );
  return new RegExp(`^${source}$`, 's');
};

/**
 * The targets of the lines "<glob> <target>" that match a path; ALL if a path matches no glob, since its targets are
 * unknown.
 */
export const targetsOfPaths = (
  lines: readonly string[],
  paths: readonly string[],
): readonly string[] | 'ALL' => {
  const rules = lines.map((line) => {
    const [, glob = '', target = ''] = /^(\S+)\s+(\S+)$/.exec(line) ?? [];
    if (target !== '') return { pattern: globPattern(glob), target };
    throw new CliError(
      'TARGETS_WRONG',
      `${JSON.stringify(line)} is not a line of a glob and a target.`,
      exitCodes.wrongUse,
      'Write "<glob> <target>", such as "api/** //api".',
    );
  });
  const found = new Set<string>();
  for (const path of paths) {
    const matching = rules.filter(({ pattern }) => pattern.test(path));
    if (matching.length === 0) return 'ALL';
    for (const { target } of matching) found.add(target);
  }
  return [...found].sort();
};
