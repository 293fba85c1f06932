export type VerifyErrorCode = 'BAD_INPUT' | 'REPOSITORY_UNKNOWN';

/** Nothing could be verified. `message` says what is wrong. */
export class VerifyError extends Error {
  override readonly name = 'VerifyError';
  constructor(
    readonly code: VerifyErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
