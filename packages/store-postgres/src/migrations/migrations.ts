import { tables } from './0001-tables.js';
import type { Migration } from './migration.js';

/** All migrations numbered from 1 without gaps. */
export const migrations: readonly Migration[] = [tables];
