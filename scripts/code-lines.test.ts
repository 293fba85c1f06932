import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('./code-lines.mjs', import.meta.url));

test('code lines are those of sources with more than comments on them, tests not counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-code-lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const source = [
    '/** Doc. */',
    'const one = 1; // why',
    '',
    '/*',
    ' * more',
    ' */',
    'const text = `a',
    '',
    'b`;',
  ];
  writeFileSync(join(folder, 'one.ts'), source.join('\n'));
  writeFileSync(join(folder, 'one.test.ts'), 'const two = 2;\n');

  const { stdout } = spawnSync(process.execPath, [script, '--json', folder], { encoding: 'utf8' });

  expect(JSON.parse(stdout)).toEqual([{ folder, files: 1, lines: 3 }]);
});
