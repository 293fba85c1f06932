import { MqError, type Problem } from '@mq/client';
import { describe, expect, test } from 'vitest';
import { failedBy } from './failure.js';

const refusal = (code: Problem['code'], fact: string, remedy: string | null, more = ''): MqError => {
  const detail = remedy === null ? fact : `${fact} ${remedy}`;
  const problem: Problem = {
    ...{ type: 'urn', title: 'Refused', status: 409, instance: 'urn', code, detail },
    ...(remedy === null ? {} : { remedy }),
  };
  return new MqError(`${detail}${more}`, { code, status: 409, problem });
};

const failureOf = (error: unknown) => failedBy(error, false).failure;

describe('a refusal of the server', () => {
  test('an error of the server shows what is wrong and the command that helps, and names no operation of the API', () => {
    expect(
      failureOf(
        refusal('QUEUE_EXISTS', 'The branch has a queue.', 'Use updateQueue to change the existing queue.'),
      ),
    ).toMatchObject({
      message: 'The branch has a queue.',
      remedy: '`mq queue set` changes it, `mq queue get` shows it.',
    });
  });

  test('a refusal of the server keeps the remedy of the server if no command helps', () => {
    expect(
      failureOf(refusal('PULL_REQUEST_CLOSED', '#7 is closed.', 'Reopen it, then submit it.')),
    ).toMatchObject({ message: '#7 is closed. Reopen it, then submit it.', remedy: null });
  });

  test('a refusal of the server keeps every fault of a field', () => {
    expect(
      failureOf(refusal('QUEUE_NOT_FOUND', 'None.', 'Use createQueue.', '\nbranch: is wrong')).message,
    ).toBe('None.\nbranch: is wrong');
  });

  test('a refusal of a server that does not say its remedy apart is shown whole', () => {
    expect(failureOf(refusal('QUEUE_EXISTS', 'It exists. Use updateQueue.', null)).message).toBe(
      'It exists. Use updateQueue.',
    );
  });

  test.each([
    ['/v1/updateQueue', 'This command'],
    ['/mq/v1/createToken', 'This command'],
    ['forceEnqueued', '--force'],
    ['skipTheLine', '--skip-the-line'],
    ['a priority above the default', 'a priority above the default'],
  ])('a refusal of %s for its scope says what the user gave: %s', (asked, shown) => {
    const sentence = ' needs a token with the scope queue:write; nothing was done.';

    expect(failureOf(refusal('SCOPE_MISSING', `${asked}${sentence}`, null))).toMatchObject({
      message: `${shown}${sentence}`,
      remedy: expect.stringContaining('mq whoami'),
    });
  });

  test.each([
    ['NOT_SUBMITTED', ['mq submit <number>', 'mq status', '--repo']],
    ['UNAUTHORIZED', ['mq login <address>', 'MQ_TOKEN']],
    ['INVALID_REQUEST', ['--help', 'mq queue get']],
  ] as const)('a refusal with %s names each next step that a user may need: %j', (code, steps) => {
    const { message, remedy } = failureOf(refusal(code, 'It is refused.', 'Call another operation.'));

    expect(message).toBe('It is refused.');
    for (const step of steps) expect(remedy).toContain(step);
  });

  test('a refusal to a webhook that is disabled names the command that enables it', () => {
    expect(
      failureOf(refusal('WEBHOOK_DISABLED', 'It is disabled.', 'Enable it with updateWebhook.')),
    ).toMatchObject({
      message: 'It is disabled.',
      remedy: expect.stringContaining('mq webhook set <id> --enable'),
    });
  });
});
