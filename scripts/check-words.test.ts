import { describe, expect, test } from 'vitest';
import { checkWords, wordFault } from './check-words.mjs';

const check = (path: string, ...lines: string[]) => checkWords([{ path, text: lines.join('\n') }]);
const found = (line: string, path = 'packages/core/src/here.ts') =>
  check(path, line).map((finding) => finding.found);

describe('the check of words', () => {
  test('the check of words names file, line and word, and says what to write instead', () => {
    const findings = check('docs/here.md', 'The line is fine.', 'Its tests are begun anew.');
    expect(findings).toEqual([
      { file: 'docs/here.md', line: 2, found: 'anew', plain: expect.stringContaining('"again"') },
    ]);
    expect(findings.map(wordFault)).toEqual([
      expect.stringMatching(/^docs\/here\.md:2: "anew"\. Write "again"/),
    ]);
  });

  test.each([
    ['Whoever loses reloads.', 'Whoever'],
    ['nothing for nobody', 'nobody'],
    ['a run that is let go of', 'let go of'],
    ['const letGoOfPasses = 1;', 'let Go Of'],
    ['failure of the machinery', 'machinery'],
    ['a wish of the queue', 'wish'],
    ['The caller is told so.', 'told'],
    ['Who waits stays in it.', 'Who waits stays in it.'],
    ['The body is no JSON.', 'is no JSON'],
    ['why its configuration makes no sense', 'makes no sense'],
    ['const untold = 1;', 'untold'],
    ['looking into the batch', 'looking into'],
    ['the isolation of its batch', 'isolation'],
    ['tests parts of a failed batch', 'parts of a failed batch'],
    ['builds the trial', 'the trial'],
    ['a control run of the base', 'control run'],
    ['The pull request is to blame.', 'is to blame'],
    ['checked at the front door', 'front door'],
    ['const frontDoor = 1;', 'front Door'],
    ['The second call is no error.', 'is no error'],
    ['/** Null where the host has none. */', 'Null where'],
    ['Rejects, also where it was called before.', 'also where'],
    ['the names of the interface', 'the interface'],
    ['The effect is tried again later.', 'is tried again'],
    ["test('shows the next one', () => {", "shows the next one', () => {"],
  ])('the check of words finds what is banned in: %s', (line, word) => {
    expect(found(line)).toEqual([word]);
  });

  test.each([
    'The process that loses the race reloads.',
    'Recommended for a retold story of wishbones.',
    'Who waits longest?',
    'There is no list of rows.',
    'There is no error to show.',
    'update effects set lease_owner = null where queue = 1',
    'export interface TheNames {}',
    "test('the wait shows the next one', () => {",
    "a wait with the code 'isolation'",
    'a part of the batch',
    'Set `concurrency` to raise the limit.',
  ])('the check of words finds nothing in: %s', (line) => {
    expect(found(line)).toEqual([]);
  });

  test('the check of words leaves out addresses of links and names in code spans, in Markdown only', () => {
    const line = 'See [the decision](adr/0019-not-placed-anew.md) and `letGoOf`.';
    expect(found(line, 'docs/here.md')).toEqual([]);
    expect(found('// `letGoOf`')).toEqual(['let Go Of']);
  });

  test.each(['past', 'promised', 'told'])('the check of words refuses a file that is called %s', (name) => {
    expect(check(`packages/core/src/${name}.test.ts`, '').map(({ line }) => line)).toContain(0);
    expect(check(`packages/core/src/${name === 'told' ? 'retold' : name}-rows.ts`, '')).toEqual([]);
  });

  test('the check of words reads the names of files as well', () => {
    expect(check('docs/not-placed-anew.md', '').map(wordFault)).toEqual([
      expect.stringMatching(/^docs\/not-placed-anew\.md \(its name\): "anew"/),
    ]);
  });
});
