import type { Logger } from '@mq/core';

/** What the engines of a story have logged and thrown, one line each. */
export class Said {
  readonly lines: string[] = [];
  readonly logger: Logger;

  constructor() {
    const log = (facts: object, sentence: string) => {
      this.lines.push(`${sentence} ${JSON.stringify(facts, withErrors)}`);
    };
    this.logger = { debug: log, info: log, warn: log, error: log };
  }

  /** Notes the error with which the act ends, and throws it again. */
  async watching<Answer>(act: () => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return await act();
    } catch (error) {
      this.lines.push(JSON.stringify({ error }, withErrors));
      throw error;
    }
  }
}

const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message, cause: value.cause } : value;
