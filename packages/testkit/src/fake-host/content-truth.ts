import type { Files } from './fake-git.js';

/**
 * What the content of a tree says about a check, by lines of its files:
 * `!broken` (or `!broken:<check>`) fails it; `!clashes:<path>` fails it where the tree also holds that path;
 * `!needs:<path>` fails it where the tree does not; `!fixes:<path>` takes back what the lines of that path say.
 */
export const contentPasses = (files: Files, check: string): boolean => {
  const fixed = new Set(linesOf(files).flatMap(({ line }) => argumentOf(line, '!fixes:')));
  return linesOf(files)
    .filter(({ path }) => !fixed.has(path))
    .every(({ line }) => {
      if (line === '!broken' || line === `!broken:${check}`) return false;
      if (argumentOf(line, '!clashes:').some((path) => path in files)) return false;
      return !argumentOf(line, '!needs:').some((path) => !(path in files));
    });
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
