import { tables } from './0001-tables.js';
import { tokens } from './0002-tokens.js';
import { expectedChecks } from './0003-expected-checks.js';
import { webhooks } from './0004-webhooks.js';
import { summaries } from './0005-summaries.js';
import { presence } from './0006-presence.js';
import { hostCommands } from './0007-host-commands.js';
import type { Migration } from './migration.js';

/** All migrations numbered from 1 without gaps. */
export const migrations: readonly Migration[] = [
  tables,
  tokens,
  expectedChecks,
  webhooks,
  summaries,
  presence,
  hostCommands,
];
