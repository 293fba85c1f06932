import type { Files } from './fake-git.js';

/**
 * Whether the content of a tree passes a check, by marker lines in its files:
 * `!broken` (or `!broken:<check>`) fails it; `!clashes:<path>` fails it if the tree also has that path;
 * `!needs:<path>` fails it if the tree does not; `!crashes` kills its process by a signal, so it never passes;
 * `!fixes:<path>` cancels the markers in that path.
 */
export const contentPasses = (files: Files, check: string): boolean => {
  return effectiveLines(files).every((line) => {
    if (line === CRASHES || line === '!broken' || line === `!broken:${check}`) return false;
    if (argumentOf(line, '!clashes:').some((path) => path in files)) return false;
    return !argumentOf(line, '!needs:').some((path) => !(path in files));
  });
};

const CRASHES = '!crashes';

/** True if a signal kills the process of every check of this content. */
export const contentCrashes = (files: Files): boolean => effectiveLines(files).includes(CRASHES);

/** The marker lines of a tree, except those that another file cancels. */
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
