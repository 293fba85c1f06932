import { aPullRequest } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BODY_LIMIT_CHARS, commitMessage, customTitle, TITLE_LIMIT_CHARS } from './commit-message.js';
import { mergeMethods } from './settings.js';

const messageOf = (title: string, body = '', method: (typeof mergeMethods)[number] = 'squash') =>
  commitMessage(aPullRequest(7, { title, body }), method);

describe('the message of a commit that lands', () => {
  test('is the title with the number where it is squashed', () => {
    expect(messageOf('Add rain', 'It rains.')).toEqual({ title: 'Add rain (#7)', body: 'It rains.' });
  });

  test.each(['merge_commit', 'rebase'] as const)('names the pull request that is merged by %s', (method) => {
    expect(messageOf('Add rain', '', method).title).toBe('Merge pull request #7: Add rain');
  });

  test('has the title that a line of the body gives, and the body without that line', () => {
    const body = 'Before\r\nmerge-commit-title:  Let it rain \nAfter';

    expect(messageOf('Add rain', body)).toEqual({ title: 'Let it rain', body: 'Before\nAfter' });
  });

  test('takes the first of several such lines and keeps none', () => {
    const body = 'merge-commit-title: one\nmerge-commit-title: two';

    expect(messageOf('Add rain', body)).toEqual({ title: 'one', body: '' });
  });

  test.each([
    ['another letter case', 'Merge-Commit-Title: x'],
    ['something before it on the line', ' merge-commit-title: x'],
    ['no title', 'merge-commit-title:   '],
  ])('is not taken from a line with %s', (_, body) => {
    expect(customTitle(body)).toBeNull();
    expect(messageOf('Add rain', `a\n${body}`).title).toBe('Add rain (#7)');
  });

  test('falls back to the number where nothing of the title is left', () => {
    expect(messageOf('x', 'merge-commit-title: \u0007').title).toBe('Merge pull request #7');
  });

  test.each(['skip ci', 'ci skip', 'no ci', 'skip actions', 'actions skip', 'SKIP CI'])(
    'does not keep the CI from testing it: [%s]',
    (marker) => {
      expect(messageOf(`Rain [${marker}]`, `a [${marker}] b [${marker}]`)).toEqual({
        title: `Rain (${marker}) (#7)`,
        body: `a (${marker}) b (${marker})`,
      });
    },
  );

  test('finds a marker that control characters or line ends had hidden', () => {
    expect(messageOf('Rain [skip\u0000ci]').title).toBe('Rain (skip ci) (#7)');
    expect(messageOf('Rain [skip\nci]').title).toBe('Rain (skip ci) (#7)');
  });

  test('notifies nobody, and leaves addresses and code alone', () => {
    const { body } = messageOf('x', '@ada and (@bob) or me@example.com and `@decorator`');

    expect(body).toBe('@\u200bada and (@\u200bbob) or me@example.com and `@decorator`');
  });

  test('keeps the lines of its body and is one line in its title', () => {
    const message = messageOf('a\r\n\tb', 'one\n\n\ttwo\n');

    expect(message).toEqual({ title: 'a b (#7)', body: 'one\n\n\ttwo' });
  });

  test('is cut where it is too long, and says so', () => {
    const { title, body } = messageOf('a'.repeat(TITLE_LIMIT_CHARS + 1), 'b'.repeat(BODY_LIMIT_CHARS + 1));

    expect(title).toBe(`${'a'.repeat(TITLE_LIMIT_CHARS - 1)}…`);
    expect(body).toBe(`${'b'.repeat(BODY_LIMIT_CHARS - 1)}…`);
  });

  test('is whole where it just fits', () => {
    expect(messageOf('x', 'b'.repeat(BODY_LIMIT_CHARS)).body).toBe('b'.repeat(BODY_LIMIT_CHARS));
  });

  test('is never cut inside a character', () => {
    const { body } = messageOf('x', `${'b'.repeat(BODY_LIMIT_CHARS - 1)}🌧🌧`);

    expect(body).toBe(`${'b'.repeat(BODY_LIMIT_CHARS - 1)}…`);
  });
});

const bits = fc.constantFrom(
  '[skip ci]',
  '[SKIP CI]',
  '[ci skip',
  ' [no ci]',
  '[skip\u0001ci]',
  '[skip [skip ci]]',
  '@ada',
  '@@x',
  '\u0000',
  '\u001b[31m',
  '\u2028',
  '\ud800',
  '\udc00',
  '\r\n',
  '\n',
  '\t',
  'merge-commit-title: ',
  'é🌧',
);
const anyText = fc
  .array(
    fc.oneof(
      bits,
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('x'.repeat(248), '🌧'.repeat(4_990)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

describe('whatever is written in a pull request', () => {
  test('its message has no skip marker and no control character, and is bounded', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...mergeMethods), (title, body, method) => {
        const message = messageOf(title, body, method);

        for (const text of [message.title, message.body]) {
          expect(text).not.toMatch(/\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/i);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
          expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]/);
          expect(text).toBe(text.trim());
        }
        expect(message.title).not.toMatch(/[\r\n\t]/);
        expect(message.title).not.toBe('');
        expect(message.title.length).toBeLessThanOrEqual(TITLE_LIMIT_CHARS);
        expect(message.body.length).toBeLessThanOrEqual(BODY_LIMIT_CHARS);
      }),
    );
  });

  test('cleaning what is clean changes nothing', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        const once = messageOf('x', body).body;
        fc.pre(customTitle(once) === null);

        expect(messageOf('x', once).body).toBe(once);
      }),
    );
  });
});
