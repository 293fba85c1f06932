import { tables } from './0001-tables.js';
import { runsApart } from './0002-runs-apart.js';
import { leanRows } from './0003-lean-rows.js';
import { narrowRows } from './0004-narrow-rows.js';
import type { Migration } from './migration.js';

/** All steps by rising number, from 1 on without gaps. */
export const migrations: readonly Migration[] = [tables, runsApart, leanRows, narrowRows];
