import { describe, expect, test } from 'vitest';
import { commandIn, defaultCommandPrefixes, isCommandPrefix } from './grammar.js';
import { COMMENT_READ_LIMIT_CHARS } from './readable-lines.js';

const inComment = (body: string) => commandIn(body, defaultCommandPrefixes);
const merge = { kind: 'merge', head: null, priority: null, noBatch: false, force: false } as const;

describe('a command', () => {
  test.each([
    ['/mq merge', merge],
    ['  /MQ  Merge \t', merge],
    ['/trunk merge', merge],
    ['Thanks!\r\n\r\n/mq merge\r\nBye', merge],
    ['/mq merge 0123abcd', { ...merge, head: '0123abcd' }],
    ['/mq merge 0123ABCD --force', { ...merge, head: '0123abcd', force: true }],
    ['/mq merge --priority=urgent', { ...merge, priority: 0 }],
    ['/mq merge --priority=255 --no-batch', { ...merge, priority: 255, noBatch: true }],
    ['/trunk merge -p high --direct', { ...merge, priority: 10, force: true }],
    ['/mq cancel', { kind: 'cancel' }],
    ['/mq restart', { kind: 'restart' }],
    ['/mq why', { kind: 'why' }],
  ])('a command is read from %j', (body, request) => {
    expect(inComment(body)).toEqual(request);
  });

  test.each([
    ['/mq', /names no command/],
    ['/mq marge', /`marge` is not a command/],
    ['/mq merge please', /`please` is not an option/],
    ['/mq merge @all', /one of its words is not an option/],
    ['/mq merge 012345', /`012345` is not an option/],
    ['/mq merge --priority=256', /a priority is/],
    ['/mq merge --priority', /a priority is/],
    ['/mq merge --priority=-1', /a priority is/],
    ['/mq merge --force=no', /`--force=no` is not an option/],
    ['/mq cancel now', /`cancel` takes no options/],
    ['/mq merge\n/mq cancel', /holds several/],
    ['/mq merge \u202e--force', /cannot be shown/],
    ['/mq merge \u0000', /cannot be shown/],
    [`/mq merge ${'a '.repeat(30)}`, /too long/],
    [`/mq merge ${'a'.repeat(600)}`, /too long/],
  ])('an invalid command is malformed with a reason: %j', (body, fault) => {
    expect(inComment(body)).toEqual({ kind: 'malformed', fault: expect.stringMatching(fault) });
  });

  test.each([
    ['', 'an empty comment'],
    ['Please /mq merge', 'inside of a sentence'],
    ['/mqmerge', 'without a space'],
    ['- /mq merge', 'in a list'],
    ['`/mq merge`', 'in code'],
    ['```\n/mq merge\n```', 'in a code block'],
    ['~~~sh\n/mq merge', 'in a code block without an end'],
    ['````\n```\n/mq merge\n````', 'in a code block with a shorter fence inside'],
    ['    /mq merge', 'indented as code'],
    ['\t/mq merge', 'indented as code by a tab'],
    ['> /mq merge', 'in a quote'],
    ['> Do it\n/mq merge', 'in a paragraph that continues a quote'],
    ['<!-- \n/mq merge\n-->', 'in an HTML comment'],
    ['<pre>\n/mq merge\n</pre>', 'in preformatted text'],
    ['<BLOCKQUOTE>\n\n/mq merge\n\n</BLOCKQUOTE>', 'in an HTML quote'],
    ['No.\n\n-- \n/mq merge', 'in the signature of a mail'],
    ['No.\n\nOn Mon, 1 Jan 2026, ada wrote:\n/mq merge', 'in the mail that is answered'],
    ['No.\n\n-----Original Message-----\n/mq merge', 'in a forwarded mail'],
    [`${'x'.repeat(COMMENT_READ_LIMIT_CHARS)}\n/mq merge`, 'after 64 kB'],
    [`${'x'.repeat(COMMENT_READ_LIMIT_CHARS - 10)}\n/mq merge --priority=low`, 'cut by the limit of 64 kB'],
  ])('no command is read from %j: %s', (body) => {
    expect(inComment(body)).toBe(null);
  });

  test.each([
    ['\u0000/mq merge', null],
    ['/mq\u0000merge', null],
    ['\u001b[2K/mq merge', null],
    ['\u200b/mq merge', null],
    ['\u202e/mq merge', null],
    ['／mq merge', null],
  ])('%j, which only looks like a command, is none', (body, request) => {
    expect(inComment(body)).toBe(request);
  });

  test.each(['/mq merge\u0007', '/mq mer\u0000ge', '/mq merge\u202e --force', '/mq \u001b[31mmerge'])(
    'control characters in %j make it no merge, and do not come back in the answer',
    (body) => {
      const request = inComment(body);
      expect(request === null || request.kind === 'malformed').toBe(true);
      expect(JSON.stringify(request)).not.toMatch(/\\u00(?:00|07|1b)|\u202e/);
    },
  );

  test.each(['```\ncode\n```\n/mq cancel', '> quoted\n\n/mq cancel', '<!-- a --> b\n/mq cancel'])(
    'a command is read after ignored text: %j',
    (body) => {
      expect(inComment(body)).toEqual({ kind: 'cancel' });
    },
  );

  test('a command is not read in a quote, in code and in the footer of a mail', () => {
    const hidden = ['> Do it\n/mq merge', '```\n/mq merge\n```', 'No.\n\n-- \n/mq merge'];
    expect(hidden.map(inComment)).toEqual([null, null, null]);
  });

  test('a command is recognised by its configured prefix only', () => {
    expect(commandIn('!land cancel', ['!land'])).toEqual({ kind: 'cancel' });
    expect(commandIn('/mq cancel', ['!land'])).toBe(null);
    expect(['/mq', '.q', '!land-it'].every(isCommandPrefix)).toBe(true);
    expect(['mq', '/', '/Mq', '/m q', '/é', `/${'a'.repeat(30)}`].some(isCommandPrefix)).toBe(false);
  });

  test('a command in a comment of 64 kB is parsed in milliseconds', () => {
    const begun = performance.now();
    for (const part of ['> ', '<pre', '`', '-', '\n', '/mq ', 'On ', '\u202e'])
      inComment(part.repeat(COMMENT_READ_LIMIT_CHARS / part.length));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
