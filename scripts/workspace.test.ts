import { readdirSync, readFileSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import workspace from '../vitest.config.js';
import { GITEA_PROJECT, PACKAGES_PROJECT, quickProjects } from './stages.mjs';
import { browserSuite, seedFiles, thoroughFiles } from './thorough.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Project {
  readonly test: {
    readonly name: string;
    readonly include: string[];
    readonly exclude: string[];
    readonly setupFiles: string[];
  };
}

/** What `npm test` leaves to `npm run verify`. */
const isLeftOut = (file: string): boolean => process.env.MQ_TESTS === 'quick' && thoroughFiles.includes(file);

const projects = (workspace.test?.projects ?? []) as unknown as readonly Project[];

function testFiles(): string[] {
  return ['packages', 'examples', 'scripts']
    .flatMap((folder) => readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.test\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => relative(root, `${entry.parentPath}/${entry.name}`))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file));
}

function projectsOf(file: string): string[] {
  return projects
    .filter(
      ({ test: { include, exclude } }) =>
        include.some((glob) => matchesGlob(file, glob)) && !exclude.some((glob) => matchesGlob(file, glob)),
    )
    .map((project) => project.test.name);
}

describe('the Vitest configuration', () => {
  test('the Vitest configuration has the projects that the scripts name', () => {
    const named = [...quickProjects, browserSuite.project, GITEA_PROJECT, PACKAGES_PROJECT];
    expect(projects.map((project) => project.test.name).sort()).toEqual(named.sort());
  });

  test('the Vitest configuration runs every test file in one project and only one', () => {
    const misplaced = testFiles()
      .map((file) => ({ file, projects: projectsOf(file) }))
      .filter(({ file, projects }) => projects.length !== (isLeftOut(file) ? 0 : 1));
    expect(misplaced).toEqual([]);
  });

  test('the Vitest configuration leaves out only files that are there', () => {
    const files = new Set(testFiles());
    expect([...thoroughFiles, ...seedFiles].filter((file) => !files.has(file))).toEqual([]);
  });

  test('the Vitest configuration draws the same examples in every run, with each of the configurations', () => {
    const [one, other] = [1, 2].map(() => {
      const drawn: number[] = [];
      fc.assert(fc.property(fc.integer(), (number) => void drawn.push(number)));
      return drawn;
    });
    expect(one).toEqual(other);
    for (const { test: project } of projects)
      expect(project.setupFiles).toEqual([
        expect.stringMatching(/scripts.property-seed\.ts$/),
        expect.stringMatching(/scripts.secret-watch\.ts$/),
      ]);
    for (const file of ['scripts/mutation-runner.mjs', 'vitest.planted.config.ts'])
      expect(readFileSync(`${root}${file}`, 'utf8')).toContain('scripts/property-seed.ts');
  });
});
