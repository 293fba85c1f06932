import { describe, expect, test } from 'vitest';
import { checkLayers } from './check-layers.mjs';

const check = (path: string, ...lines: string[]) => checkLayers([{ path, text: `${lines.join('\n')}\n` }]);
const rules = (path: string, ...lines: string[]) => check(path, ...lines).map((violation) => violation.rule);

describe('check-layers', () => {
  test('check-layers says where a violation is, which rule it breaks and what to do', () => {
    expect(
      check(
        'packages/core/src/model/queue.ts',
        "import { z } from 'zod';",
        "import { land } from '../decide/land.js';",
      ),
    ).toEqual([
      {
        file: 'packages/core/src/model/queue.ts',
        line: 2,
        rule: 'model/ imports decide/',
        remedy: expect.stringContaining('model/ may import model, zod'),
      },
    ]);
  });

  test.each([
    ['model', "import { z } from 'zod';"],
    ['decide', "import { gates } from '../model/gates.js';"],
    ['ports', "import type { Queue } from '../model/queue.js';"],
    ['ports', "import { type Queue } from '../model/queue.js';"],
    ['engine', "import { decide } from '../decide/decide.js'; import PQueue from 'p-queue';"],
    ['engine', "import { mqError } from '../errors.js';"],
    ['decide/line', "import { present } from '../draft/draft.js';"],
    ['decide', "import { arrange } from './entry/arrange.js';"],
  ])('check-layers lets %s/ import a lower room: %s', (room, line) => {
    expect(rules(`packages/core/src/${room}/here.ts`, line)).toEqual([]);
  });

  test.each([
    ['model', "import { readFile } from 'node:fs';", 'model/ imports the package node:fs'],
    ['decide', "import type { Store } from '../ports/store.js';", 'decide/ imports ports/'],
    ['decide', "export { loop } from '../engine/loop.js';", 'decide/ imports engine/'],
    ['engine', "import { createMergeQueue } from '../merge-queue.js';", 'engine/ imports merge-queue/'],
    ['decide/line', "import type { Lane } from '../entry/arrange.js';", 'decide/line/ imports decide/entry/'],
    ['metrics', "const late = await import('../engine/loop.js');", 'metrics/ imports engine/'],
    ['model', "type Late = import('../decide/draft.js').Draft;", 'model/ imports decide/'],
  ])('check-layers refuses %s/ an import of a higher room, also of a type: %s', (room, line, rule) => {
    expect(rules(`packages/core/src/${room}/here.ts`, line)).toEqual([rule]);
  });

  test('check-layers refuses a file of core outside of every room', () => {
    expect(rules('packages/core/src/extras/here.ts', 'export {};')).toEqual([
      'extras is not a room of packages/core/src',
    ]);
  });

  test('check-layers lets a rule test beside the code import what it needs', () => {
    expect(
      rules('packages/core/src/decide/landing/land.test.ts', "import { story } from '@mq/testkit';"),
    ).toEqual([]);
  });

  test('check-layers lets only the benches import what core does not publish', () => {
    const line = "import { decide } from '@mq/core/internals';";
    expect(rules('packages/bench/src/world/replica.ts', line)).toEqual([]);
    expect(rules('packages/http/src/routes.ts', line)).toEqual(['@mq/core/internals reaches into a package']);
  });

  test('check-layers lets other packages import core by its name and never by a path into it', () => {
    const path = 'packages/http/src/routes.ts';
    expect(rules(path, "import { decide } from '@mq/core';")).toEqual([]);
    expect(rules(path, "import { decide } from '@mq/core/decide';")).toEqual([
      '@mq/core/decide reaches into a package',
    ]);
    expect(rules(path, "import { decide } from '../../core/src/decide.js';")).toEqual([
      '../../core/src/decide.js leaves the package',
    ]);
    expect(rules(path, "import { gitHost } from '@mq/host-git';")).toEqual(['http imports @mq/host-git']);
    expect(rules('packages/server/src/main.ts', "import { gitHost } from '@mq/host-git';")).toEqual([]);
    expect(rules('examples/01-in-process/main.ts', "import { x } from '@mq/core/src/x.js';")).toHaveLength(1);
  });

  test.each(['Math.random()', 'Date.now()', 'new Date()', 'Date()'])(
    'check-layers finds %s in model/ and decide/ only',
    (code) => {
      expect(rules('packages/core/src/decide/landing/land.ts', `export const x = ${code};`)).toHaveLength(1);
      expect(rules('packages/core/src/model/run.ts', `export const x = ${code};`)).toHaveLength(1);
      expect(rules('packages/core/src/engine/loop.ts', `export const x = ${code};`)).toEqual([]);
    },
  );

  test('check-layers takes a time that is given for no clock that is read', () => {
    expect(rules('packages/core/src/decide/landing/land.ts', 'export const x = new Date(0);')).toEqual([]);
  });

  test.each(['export default 1;', 'export default function f() {}', 'const f = 1; export { f as default };'])(
    'check-layers refuses a default export: %s',
    (code) => {
      expect(rules('packages/http/src/index.ts', code)).toEqual(['export default']);
      expect(rules('packages/http/tsup.config.ts', code)).toEqual([]);
    },
  );

  test('check-layers does not take the default of a switch for a default export', () => {
    expect(rules('packages/http/src/index.ts', 'switch (1 as number) { default: break; }')).toEqual([]);
  });

  test('check-layers refuses a file of more than 350 lines and takes one of 350', () => {
    const lines = (count: number) => Array.from({ length: count }, () => '//');
    expect(rules('packages/http/src/routes.ts', ...lines(350))).toEqual([]);
    expect(rules('packages/http/src/routes.ts', ...lines(351))).toEqual(['351 lines, at most 350']);
  });

  test('check-layers refuses a folder whose name says nothing', () => {
    expect(rules('packages/http/src/utils/text.ts', 'export {};')).toEqual(['a folder called utils']);
  });
});
