import { type Client, MqError, type RequestOf } from '@mq/client';
import {
  type Asked,
  command,
  listOf,
  objectOf,
  type QueueName,
  type Schemas,
  schemaNamed,
} from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { readGivenFile } from '../../given-file.js';
import { plain } from '../../text/plain.js';
import { valueText } from '../../text/queue.js';
import { confirm } from './confirm.js';
import { type DeclaredQueue, type Difference, declarationIn, differences } from './declaration.js';

interface Options {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface Change extends QueueName {
  readonly action: 'none' | 'create' | 'update';
  readonly differences: readonly Difference[];
}

interface Result {
  readonly changes: readonly Change[];
  /** False with `--dry-run`, and if nothing differs. */
  readonly applied: boolean;
}

interface Planned {
  readonly change: Change;
  readonly declared: DeclaredQueue;
  /** The settings that the difference was computed from. The server refuses the change if they have changed since. */
  readonly etag: string | null;
}

const read = async ({ io }: Asked<Options>, file: string): Promise<string> =>
  file === '-' ? io.input() : readGivenFile(io, file);

const plan = async (client: Client, declared: DeclaredQueue, signal: AbortSignal): Promise<Planned> => {
  const { repo, targetBranch } = declared;
  let etag: string | null = null;
  let queue: Schemas['Queue'] | null = null;
  try {
    queue = await client.getQueue(
      { repo, targetBranch },
      {
        signal,
        onHeaders: (headers) => {
          etag = headers.get('etag');
        },
      },
    );
  } catch (error) {
    if (!(error instanceof MqError) || error.code !== 'QUEUE_NOT_FOUND') throw error;
  }
  const found = differences(declared, queue);
  const action = queue === null ? 'create' : found.length === 0 ? 'none' : 'update';
  return { change: { repo, targetBranch, action, differences: found }, declared, etag };
};

const carryOut = async (client: Client, planned: Planned, signal: AbortSignal): Promise<void> => {
  const { change, declared, etag } = planned;
  const { repo, targetBranch } = declared;
  const changed = Object.fromEntries(change.differences.map(({ setting, to }) => [setting, to]));
  // The list and its source are one statement.
  const pinned =
    'requiredStatuses' in changed
      ? { requiredStatusesSource: declared.requiredStatusesSource ?? 'queue' }
      : {};
  const request = { repo, targetBranch, ...changed, ...pinned } as RequestOf<'updateQueue'>;
  if (change.action === 'create') await client.createQueue(request, { signal });
  if (change.action === 'update')
    await client.updateQueue(request, { signal, ...(etag === null ? {} : { ifMatch: etag }) });
};

const lineOf = ({ setting, from, to }: Difference): string =>
  from === undefined
    ? `  + ${setting} = ${valueText(to)}`
    : `  ~ ${setting}: ${valueText(from)} → ${valueText(to)}`;

const signs = { none: '=', create: '+', update: '~' } as const;

const changeText = ({ repo, targetBranch, action, differences: found }: Change): string =>
  [`${signs[action]} ${repo.host}/${repo.owner}/${repo.name} ${targetBranch}`, ...found.map(lineOf)].join(
    '\n',
  );

export const queueApply = command<Options, Result>({
  words: 'queue apply',
  summary: 'Create and change queues as a file declares; shows the difference first.',
  parameters: [{ name: '<file>', description: 'as `mq queue export` prints it; - for standard input' }],
  flags: [
    { flags: '--dry-run', description: 'only show the difference; the exit code says whether there is one' },
    { flags: '--yes', description: 'do not ask' },
  ],
  examples: ['mq queue apply queues.json --dry-run', 'mq queue apply queues.json --yes'],
  schema: objectOf({
    changes: listOf(
      objectOf({
        repo: schemaNamed('Repository'),
        targetBranch: { type: 'string' },
        action: { enum: ['none', 'create', 'update'] },
        differences: listOf({
          type: 'object',
          required: ['setting', 'to'],
          properties: { setting: { type: 'string' } },
        }),
      }),
    ),
    applied: { type: 'boolean' },
  }),
  run: async (asked) => {
    const [file = ''] = asked.args;
    const declaration = declarationIn(await read(asked, file), file);
    const { client } = await asked.server();
    const planned: Planned[] = [];
    for (const declared of declaration.queues)
      planned.push(await plan(client, declared, asked.io.interrupted));
    const changes = planned.map(({ change }) => change);
    const isSame = changes.every(({ action }) => action === 'none');
    if (isSame || asked.options.dryRun === true) return { changes, applied: false };
    if (asked.options.yes !== true) asked.note(plain(changes.map(changeText).join('\n')));
    await confirm(asked, 'Apply this?');
    for (const one of planned) await carryOut(client, one, asked.io.interrupted);
    return { changes, applied: true };
  },
  text: ({ changes, applied }) =>
    [
      ...changes.map(changeText),
      changes.every(({ action }) => action === 'none')
        ? 'No differences.'
        : applied
          ? 'Applied.'
          : 'Nothing was changed.',
    ].join('\n'),
  exitCode: ({ changes, applied }) =>
    !applied && changes.some(({ action }) => action !== 'none') ? exitCodes.differs : exitCodes.done,
});
