import { MqError } from './mq-error.js';

/** One message of a stream. `id` is the position behind it; null if the server gave none. */
export interface SseMessage {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string | null;
}

/** More than any event of the server; what exceeds it is not an event of ours. */
export const MESSAGE_LIMIT_CHARS = 32 * 1024 * 1024;

const fieldOf = (line: string): readonly [string, string] => {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
};

const messageOf = (lines: readonly string[]): SseMessage => {
  const data: string[] = [];
  let id: string | null = null;
  let event: string | null = null;
  for (const line of lines) {
    const [name, value] = fieldOf(line);
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }
  return { id, event, data: data.length === 0 ? null : data.join('\n') };
};

/** Splits the text of an event stream into its messages, even if pieces end in the middle of a line. */
export class SseParser {
  #rest = '';
  #lines: string[] = [];
  #chars = 0;

  /** The messages that `text` completes. Throws if one is longer than the limit. */
  push(text: string): readonly SseMessage[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    const messages = lines.flatMap((line) => this.#take(line));
    if (this.#chars + this.#rest.length > MESSAGE_LIMIT_CHARS)
      throw new MqError('The stream has an event that is too long: the address may not be an mq server.', {
        code: 'UNEXPECTED_ANSWER',
      });
    return messages;
  }

  #take(line: string): readonly SseMessage[] {
    if (line !== '') {
      this.#chars += line.length;
      if (!line.startsWith(':')) this.#lines.push(line);
      return [];
    }
    const lines = this.#lines;
    this.#lines = [];
    this.#chars = 0;
    return lines.length === 0 ? [] : [messageOf(lines)];
  }
}
