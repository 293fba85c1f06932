import { aPullRequest } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BODY_LIMIT_CHARS,
  commitMessage,
  customTitle,
  TITLE_LIMIT_CHARS,
  TRAILERS_LIMIT_CHARS,
} from './commit-message.js';
import { mergeMethods } from './settings.js';

const messageOf = (title: string, body = '', method: (typeof mergeMethods)[number] = 'squash') =>
  commitMessage(aPullRequest(7, { title, body }), method);

describe('the message of a commit that lands', () => {
  test('a squash message has the title with the number', () => {
    expect(messageOf('Add rain', 'It rains.')).toEqual({ title: 'Add rain (#7)', body: 'It rains.' });
  });

  test.each(['merge_commit', 'rebase'] as const)(
    'a commit message with %s names the pull request',
    (method) => {
      expect(messageOf('Add rain', '', method).title).toBe('Merge pull request #7: Add rain');
    },
  );

  test('a commit message uses the title given in the body, and removes that line', () => {
    const body = 'Before\r\nmerge-commit-title:  Let it rain \nAfter';

    expect(messageOf('Add rain', body)).toEqual({ title: 'Let it rain', body: 'Before\nAfter' });
  });

  test('a commit message uses the first of several title lines and removes all', () => {
    const body = 'merge-commit-title: one\nmerge-commit-title: two';

    expect(messageOf('Add rain', body)).toEqual({ title: 'one', body: '' });
  });

  test.each([
    ['another letter case', 'Merge-Commit-Title: x'],
    ['something before it on the line', ' merge-commit-title: x'],
    ['no title', 'merge-commit-title:   '],
  ])('the message of a commit that lands is not taken from a line with %s', (_, body) => {
    expect(customTitle(body)).toBeNull();
    expect(messageOf('Add rain', `a\n${body}`).title).toBe('Add rain (#7)');
  });

  test('a commit message falls back to the number if the title is empty', () => {
    expect(messageOf('x', 'merge-commit-title: \u0007').title).toBe('Merge pull request #7');
  });

  test.each(['skip ci', 'ci skip', 'no ci', 'skip actions', 'actions skip', 'SKIP CI'])(
    'a commit message has no marker that skips CI: [%s]',
    (marker) => {
      expect(messageOf(`Rain [${marker}]`, `a [${marker}] b [${marker}]`)).toEqual({
        title: `Rain (${marker}) (#7)`,
        body: `a (${marker}) b (${marker})`,
      });
    },
  );

  test('a marker hidden by control characters or line ends is removed', () => {
    expect(messageOf('Rain [skip\u0000ci]').title).toBe('Rain (skip ci) (#7)');
    expect(messageOf('Rain [skip\nci]').title).toBe('Rain (skip ci) (#7)');
  });

  test('a commit message mentions no user, and keeps addresses and code', () => {
    const { body } = messageOf('x', '@ada and (@bob) or me@example.com and `@decorator`');

    expect(body).toBe('@\u200bada and (@\u200bbob) or me@example.com and `@decorator`');
  });

  test('a commit message keeps the lines of the body and has one title line', () => {
    const message = messageOf('a\r\n\tb', 'one\n\n\ttwo\n');

    expect(message).toEqual({ title: 'a b (#7)', body: 'one\n\n\ttwo' });
  });

  test('a commit message that is too long is truncated with a mark', () => {
    const { title, body } = messageOf('a'.repeat(TITLE_LIMIT_CHARS + 1), 'b'.repeat(BODY_LIMIT_CHARS + 1));

    expect(title).toBe(`${'a'.repeat(TITLE_LIMIT_CHARS - 1)}…`);
    expect(body).toBe(`${'b'.repeat(BODY_LIMIT_CHARS - 1)}…`);
  });

  test('a commit message that just fits is kept whole', () => {
    expect(messageOf('x', 'b'.repeat(BODY_LIMIT_CHARS)).body).toBe('b'.repeat(BODY_LIMIT_CHARS));
  });

  test('a commit message that is cut keeps the trailers behind the cut', () => {
    const text = 'b'.repeat(BODY_LIMIT_CHARS + 1);
    const trailers = 'Co-authored-by: Zed <z@x>\nSigned-off-by: Ann <a@x>';

    expect(messageOf('x', `${text}\n\n${trailers}\nSigned-off-by : Ann <a@x>`).body).toBe(
      `${'b'.repeat(BODY_LIMIT_CHARS - 1)}…\n\n${trailers}`,
    );
  });

  test('a commit message has a bounded number of trailers behind a cut', () => {
    const trailers = Array.from(
      { length: 1_000 },
      (_, n) => `Signed-off-by: Person ${n} <p${n}@example.org>`,
    );

    const { body } = messageOf('x', `${'b'.repeat(BODY_LIMIT_CHARS)}\n\n${trailers.join('\n')}`);
    expect(body.length).toBeLessThanOrEqual(BODY_LIMIT_CHARS + TRAILERS_LIMIT_CHARS + 2);
    expect(body.split('\n').slice(2, 402)).toEqual(trailers.slice(0, 400));
  });

  test.each(['Co-authored-by: ', 'Reviewed-by: ', 'Co-authored-by: A Long\n Name '])(
    'a commit message keeps addresses in trailers: %j',
    (start) => {
      const body = `Why\n\n${start}renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>`;

      expect(messageOf('x', body).body).toBe(body);
    },
  );

  test('a commit message mentions no user in a trailer', () => {
    expect(messageOf('x', 'Reviewed-by: @bob <@bob>').body).toBe('Reviewed-by: @\u200bbob <@\u200bbob>');
  });

  test('a commit message is never cut inside a character', () => {
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
  'Signed-off-by: [x]@y <[x]@ada [skip ci]>\n',
  '\n\nCo-authored-by: Bob\n @x <b>',
  '\n```\n',
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
  test('any commit message has no skip marker, no control character, and a bounded length', () => {
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
        expect(message.body.length).toBeLessThanOrEqual(BODY_LIMIT_CHARS + TRAILERS_LIMIT_CHARS + 2);
      }),
    );
  });

  test('cleaning a clean text changes nothing', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        const once = messageOf('x', body).body;
        fc.pre(customTitle(once) === null);

        expect(messageOf('x', once).body).toBe(once);
      }),
    );
  });
});
