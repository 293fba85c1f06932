export type StoreProblemCode =
  /** The database was made by a later version. */
  | 'SCHEMA_NEWER'
  /** The tables are not there and were not to be made. */
  | 'SCHEMA_MISSING'
  /** The encoding of the database cannot hold every text. */
  | 'DATABASE_ENCODING'
  /** The database takes no writes: a standby, or one that was told so. */
  | 'DATABASE_READ_ONLY'
  /** The role may not read and write all that the store does. */
  | 'DATABASE_RIGHTS'
  /** Somebody else holds what is needed. */
  | 'DATABASE_BUSY'
  /** Another process has the folder open. */
  | 'FOLDER_IN_USE'
  /** What lies in the folder is no database of this release of PGlite. */
  | 'FOLDER_UNREADABLE'
  /** The folder cannot be written to. */
  | 'FOLDER_UNWRITABLE';

/** The store cannot be opened. `message` says what is wrong and what to do; nothing was changed. */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  constructor(
    readonly code: StoreProblemCode,
    readonly problem: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${problem} ${remedy}`, options);
  }
}
