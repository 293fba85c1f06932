import type { RequestOf } from '@mq/client';
import { command, type Schemas, schemaNamed } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { requireFutureInstant } from '../../given-time.js';
import { requireRepo } from '../../target-of-command.js';
import { createdText } from './token-text.js';

interface Options {
  readonly scope: RequestOf<'createToken'>['scopes'];
  readonly repository?: readonly string[];
  readonly check?: readonly string[];
  readonly expires?: string;
  readonly person?: string;
  readonly reporter?: string;
}

const scopes = [
  'read',
  'submit',
  'cancel',
  'targets',
  'queue:write',
  'queue:delete',
  'force',
  'skip',
  'checks',
  'metrics',
  'webhooks',
  'tokens',
  'admin',
];

export const tokenCreate = command<Options, Schemas['CreatedToken']>({
  words: 'token create',
  summary: 'Create a token with at most the rights of your own token.',
  parameters: [{ name: '<name>', description: 'what it is for' }],
  flags: [
    {
      flags: '--scope <scope>',
      description: 'what it may do; may be given several times',
      choices: scopes,
      isList: true,
    },
    {
      flags: '--repository <repo>',
      description: 'limit it to this repository, host/owner/name; may be given several times',
      isList: true,
    },
    {
      flags: '--check <name>',
      description: 'a check that it may report; may be given several times',
      isList: true,
    },
    { flags: '--expires <time>', description: '90d, an ISO instant, or never; a year by default' },
    { flags: '--person <name>', description: 'the person behind it' },
    { flags: '--reporter <name>', description: 'the source of the checks that it reports' },
  ],
  examples: ['mq token create "ci of widgets" --scope read --scope targets --repository local/acme/widgets'],
  schema: schemaNamed('CreatedToken'),
  run: async ({ args: [name = ''], options, io, server }) => {
    if (options.scope === undefined)
      throw new CliError(
        'SCOPE_WRONG',
        'The token would have no scope and could do nothing.',
        exitCodes.wrongUse,
        `Name what it may do, for example --scope read. Scopes are ${scopes.join(', ')}.`,
      );
    const { scope, repository, check, expires, person, reporter } = options;
    const { client } = await server();
    return client.createToken(
      {
        name,
        scopes: [...scope],
        ...(repository === undefined ? {} : { repositories: repository.map(requireRepo) }),
        ...(check === undefined ? {} : { checks: [...check] }),
        ...(expires === undefined ? {} : { expiresAt: requireFutureInstant('--expires', expires, io.now()) }),
        ...(person === undefined ? {} : { person }),
        ...(reporter === undefined ? {} : { reporter }),
      },
      { signal: io.interrupted },
    );
  },
  text: createdText,
});
