/** Something that the person who starts the server can put right: what is wrong, and what to do about it. */
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

/** As it is shown; the cause stays out of it. */
export const problemText = ({ message, remedy }: StartProblem): string =>
  `✖ ${message}\n${remedy
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}`;

export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
