import { HostError } from '@mq/core';

/** Git cannot write objects, for instance because the disk is full. Never the fault of a pull request. */
export class StorageError extends HostError {}

/**
 * Whether the errors of git say that it cannot write an object. Only the start of the first line counts: behind it may be names that a
 * pull request has chosen, with line breaks in them.
 */
export const isStorageFailure = (stderr: string): boolean =>
  /^(?:error|fatal): (?:unable to (?:write (?:loose object )?file|create temporary file|create directory|set permission to)\b|error when closing loose object file\b|file write error\b|write error\b|insufficient permission for adding an object\b)/i.test(
    stderr,
  );
