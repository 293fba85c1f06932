import {
  type CommandProgress,
  HOST_COMMANDS_PER_CALL,
  type HostCommand,
  type HostCommandCount,
  type HostCommandRef,
  type HostCommandStore,
} from '@mq/core';
import { repoDigest } from './digests.js';
import { openTables, type SharedTablesOptions } from './shared-tables.js';
import { asDocument, documents, flags, numbers, texts, Values } from './statement.js';
import { documentIn } from './stored-json.js';

export type PostgresHostCommandStoreOptions = SharedTablesOptions;

/**
 * Opens the store of commands that people gave at code hosts, in the schema of the queues' store. Closing it leaves the
 * database open, so close it before the queues' store.
 */
export const postgresHostCommandStore = async (
  options: PostgresHostCommandStoreOptions,
): Promise<HostCommandStore> => {
  const { names, run, close, now } = await openTables(options);
  const table = names.host_commands;

  const found = async (rest: string, values: Values): Promise<readonly HostCommand[]> => {
    const rows = await run(`select ${asDocument('value')} as value from ${table} ${rest}`, values);
    return rows.map(({ value }) => documentIn<HostCommand>(value));
  };
  const isThis = ({ repo, key }: HostCommandRef, values: Values): string =>
    `repo = ${values.text(repoDigest(repo))} and key = ${values.text(key)}`;

  return {
    now,
    add: async (commands) => {
      if (commands.length > HOST_COMMANDS_PER_CALL)
        throw new RangeError(`At most ${HOST_COMMANDS_PER_CALL} commands are added in one call.`);
      if (commands.length === 0) return;
      const values = new Values();
      const rows = values.rows('added', {
        repo: texts(commands.map(({ repo }) => repoDigest(repo))),
        key: texts(commands.map(({ key }) => key)),
        pr: numbers(commands.map(({ pr }) => pr)),
        person: texts(commands.map(({ person }) => person.id)),
        is_explained: flags(commands.map(({ isExplained }) => isExplained)),
        seen_at: numbers(commands.map(({ seenAt }) => Math.ceil(seenAt))),
        due_at: numbers(commands.map(({ dueAt }) => Math.ceil(dueAt))),
        version: numbers(commands.map(({ version }) => version)),
        value: documents(commands),
      });
      const columns = 'repo, key, pr, person, is_explained, seen_at, due_at, version, value';
      await run(
        `insert into ${table} (${columns}) select ${columns} from ${rows} order by repo, key on conflict do nothing`,
        values,
      );
    },
    replace: async (command) => {
      const values = new Values();
      const rows = await run(
        `update ${table} set value = ${values.document(command)}, version = ${values.number(command.version)},
  due_at = ${values.instant(command.dueAt)}, is_explained = (${values.number(Number(command.isExplained))} = 1)
where ${isThis(command, values)} and version = ${values.number(command.version - 1)} returning 'done' as done`,
        values,
      );
      return rows.length > 0;
    },
    remove: async (command) => {
      const values = new Values();
      const rows = await run(
        `delete from ${table} where ${isThis(command, values)} and version = ${values.number(command.version)}
returning 'done' as done`,
        values,
      );
      return rows.length > 0;
    },
    find: async (ref) => {
      const values = new Values();
      const [command = null] = await found(`where ${isThis(ref, values)}`, values);
      return command;
    },
    due: ({ repo, at, limit }) => {
      const values = new Values();
      const ofRepo = repo === undefined ? '' : ` and repo = ${values.text(repoDigest(repo))}`;
      return found(
        `where due_at <= ${values.number(Math.floor(at))}${ofRepo} order by due_at, key limit ${values.number(limit)}`,
        values,
      );
    },
    count: async (where) => {
      const values = new Values();
      const [row] = await run(
        `select count(*)::text as count from ${table} where ${conditionsOf(where, values).join(' and ')}`,
        values,
      );
      return Number(row?.count);
    },
    progress: async (repo) => {
      const values = new Values();
      const [row] = await run(
        `select ${asDocument('value')} as value from ${names.command_progress} where repo = ${values.text(repoDigest(repo))}`,
        values,
      );
      return row === undefined ? null : documentIn<CommandProgress>(row.value);
    },
    saveProgress: async (progress) => {
      const values = new Values();
      const [repo, version, value] = [
        values.text(repoDigest(progress.repo)),
        values.number(progress.version),
        values.document(progress),
      ];
      const first = `insert into ${names.command_progress} (repo, version, value) values (${repo}, ${version}, ${value})
on conflict do nothing returning 'done' as done`;
      const later = `update ${names.command_progress} set version = ${version}, value = ${value}
where repo = ${repo} and version = ${version} - 1 returning 'done' as done`;
      return (await run(progress.version === 1 ? first : later, values)).length > 0;
    },
    close,
  };
};

const conditionsOf = (
  { repo, personId, pr, since, isExplained }: HostCommandCount,
  values: Values,
): readonly string[] => [
  `repo = ${values.text(repoDigest(repo))}`,
  ...(personId === undefined ? [] : [`person = ${values.text(personId)}`]),
  ...(pr === undefined ? [] : [`pr = ${values.number(pr)}`]),
  ...(since === undefined ? [] : [`seen_at >= ${values.instant(since)}`]),
  ...(isExplained === undefined ? [] : [isExplained ? 'is_explained' : 'not is_explained']),
];
