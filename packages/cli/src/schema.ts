import { type AnyCommand, type JsonSchema, objectOf } from './command.js';

const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const text = { type: 'string' };

/** What stands around the result of every command. */
const place = {
  server: { ...nullable(text), description: 'The server that was asked; null if none was.' },
  repo: {
    ...nullable(objectOf({ host: text, owner: text, name: text })),
    description: 'The repository, given or guessed; null if the command needs none.',
  },
  targetBranch: { ...nullable(text), description: 'The branch of the queue.' },
  pr: { ...nullable({ type: 'integer' }), description: 'The pull request, given or guessed.' },
};

const failure = objectOf({
  code: { ...text, description: 'Stable, of the server or of mq.' },
  message: text,
  remedy: nullable(text),
  status: nullable({ type: 'integer' }),
  requestId: nullable(text),
});

/** The JSON Schema of what `--json` prints, by the words of each command. */
export const jsonSchemas = (commands: readonly AnyCommand[]): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'cli.schema.json',
  title: 'What mq --json prints',
  description: 'By command. Schemas of openapi.json are those of the OpenAPI document beside this file.',
  $defs: {
    error: objectOf({ ...place, error: failure }),
    ...Object.fromEntries(
      commands.map(({ words, schema }) => [words, objectOf({ ...place, result: schema })]),
    ),
    'watch, each line before the last': objectOf({
      seen: commands.find(({ words }) => words === 'watch')?.schema ?? {},
    }),
  },
});
