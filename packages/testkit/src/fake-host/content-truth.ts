import type { Files } from './fake-git.js';

/**
 * What the content of a tree says about a check, by lines of its files:
 * `!broken` (or `!broken:<check>`) fails it; `!clashes:<path>` fails it where the tree also holds that path;
 * `!needs:<path>` fails it where the tree does not; `!crashes` has a signal kill its process, so that it never passes;
 * `!fixes:<path>` takes back what the lines of that path say.
 */
export const contentPasses = (files: Files, check: string): boolean => {
  return effectiveLines(files).every((line) => {
    if (line === CRASHES || line === '!broken' || line === `!broken:${check}`) return false;
    if (argumentOf(line, '!clashes:').some((path) => path in files)) return false;
    return !argumentOf(line, '!needs:').some((path) => !(path in files));
  });
};

const CRASHES = '!crashes';

/** True where a signal kills the process of every check of this content. */
export const contentCrashes = (files: Files): boolean => effectiveLines(files).includes(CRASHES);

/** What the lines of a tree say, without those that another file takes back. */
const effectiveLines = (files: Files): readonly string[] => {
  const lines = linesOf(files);
  const fixed = new Set(lines.flatMap(({ line }) => argumentOf(line, '!fixes:')));
  return lines.filter(({ path }) => !fixed.has(path)).map(({ line }) => line);
};

const linesOf = (files: Files): readonly { readonly path: string; readonly line: string }[] =>
  Object.entries(files).flatMap(([path, content]) =>
    content
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => ({ path, line: line.trim() })),
  );

const argumentOf = (line: string, marker: string): readonly string[] =>
  line.startsWith(marker) ? [line.slice(marker.length)] : [];
