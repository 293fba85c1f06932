export type StoreProblemCode =
  /** The database was made by a later version. */
  | 'SCHEMA_NEWER'
  /** The tables do not exist, and `migrate` is false. */
  | 'SCHEMA_MISSING'
  /** The encoding of the database cannot store every text. */
  | 'DATABASE_ENCODING'
  /** The database is read-only: a standby, or set so. */
  | 'DATABASE_READ_ONLY'
  /** The role lacks rights that the store needs. */
  | 'DATABASE_RIGHTS'
  /** Other sessions hold locks that are needed. */
  | 'DATABASE_BUSY'
  /** Another process uses the folder. */
  | 'FOLDER_IN_USE'
  /** The folder has no database that this release of PGlite can read. */
  | 'FOLDER_UNREADABLE'
  /** The folder is not writable. */
  | 'FOLDER_UNWRITABLE';

/** The store cannot be opened. `message` says what is wrong and what to do. Nothing was changed. */
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
