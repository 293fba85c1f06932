/** A problem that the user can fix at start: what is wrong and what to do. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
  constructor(
    message: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The text for the user, without the cause. */
export const problemText = ({ message, remedy }: StartProblem): string =>
  `✖ ${message}\n${remedy
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}`;

export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
