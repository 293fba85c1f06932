import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { mutants } from '../mutants/mutants.js';
import { planted } from '../src/bundle.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A planted bug may leave variables and parameters unused, which is not a type error. */
const compilerOptions = (): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const base = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile).config;
  const all = { ...base.compilerOptions, ...config.compilerOptions };
  const { options } = ts.convertCompilerOptionsFromJson(all, ROOT);
  return { ...options, noEmit: true, noUnusedLocals: false, noUnusedParameters: false };
};

/**
 * Each changed source as a file of its own beside the original, so that one program checks all planted bugs. Its imports
 * resolve to the unchanged sources.
 */
const changedSources = async (): Promise<ReadonlyMap<string, string>> => {
  const sources = new Map<string, string>();
  for (const mutant of mutants)
    for (const [path, text] of await planted(mutant))
      sources.set(join(dirname(path), `${mutant.name}-in-${path.slice(dirname(path).length + 1)}`), text);
  return sources;
};

test('every planted bug fits the types of the sources', async () => {
  const sources = await changedSources();
  const host = ts.createCompilerHost(compilerOptions());
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => sources.has(resolve(path)) || fileExists(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = sources.get(resolve(path));
    return text === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...sources.keys()], compilerOptions(), host);
  const faults = [...sources.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start = 0 }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${path.slice(ROOT.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });

  expect(sources.size).toBeGreaterThanOrEqual(mutants.length);
  expect(faults).toEqual([]);
});
