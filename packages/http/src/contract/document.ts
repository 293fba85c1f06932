import { z } from 'zod';
import { BADGE_MAX_AGE_SECONDS, badgeRequest } from '../badge.js';
import { DEPTH_LIMIT, FIELDS_LIMIT, OUTSIDE_BYTES_LIMIT, VALUES_LIMIT } from '../body.js';
import { FORK_BUILD_HEADER } from '../fork-builds.js';
import type { Operation } from '../operation.js';
import { operations } from '../routes.js';
import { eventsQuery } from '../schemas/events.js';
import { metricsQuery } from '../schemas/metrics.js';
import { type Example, examples } from './examples.js';
import type { Json, JsonObject } from './json.js';
import { errorResponses, problemResponses, responses, streamResponses } from './responses.js';
import { type SchemaNames, schemaNames } from './schemas.js';

const DESCRIPTION = `A merge queue service that is driven through an HTTP JSON API.

Every request carries an API token, unless it reads a queue with \`publicRead\`: in the header \`x-api-token\`, or as \`Authorization: Bearer\`. A request is described here in
its canonical form; \`x-mq-also-accepts\` lists, as schemas, what a field accepts besides. Unknown fields of a request are ignored, and named in
\`warnings\`. New fields may be added to any answer, and new values to any enumeration of one.

A body has at most 20 MiB, ${VALUES_LIMIT} values with elements of lists, ${FIELDS_LIMIT} fields, ${DEPTH_LIMIT} levels of objects and lists, and
${OUTSIDE_BYTES_LIMIT} bytes outside of strings.`;

const tags: Readonly<Record<Operation['tag'] | 'Metrics' | 'Events', string>> = {
  'Pull requests': 'Submit pull requests, follow and cancel them.',
  Queues: 'Create, configure, read and delete queues.',
  Testing: 'What is under test, and how tests ended.',
  Checks: 'What your own CI has to test, and its results.',
  Receipts: 'The receipts of all landings.',
  Events: 'Events as they happen.',
  Tokens: 'Create, rotate, list and revoke tokens.',
  Webhooks: 'Send events to an address.',
  Service: 'The health of the service.',
  Metrics: 'State and history of the queues for monitoring systems.',
};

/** The OpenAPI 3.1 document of the API, generated from the table of operations and their schemas. */
export const openApiDocument = (): JsonObject => {
  const names = schemaNames();
  const posts = operations.map((operation) => [`/${operation.name}`, { post: postOf(operation, names) }]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Merge Queue Service API',
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1', description: 'This service.' }],
    security: [{ ApiKeyAuth: [] }, { BearerAuth: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: {
      ...Object.fromEntries(posts),
      [BADGE_PATH]: { get: badgeOperation(names) },
      '/events': { get: eventsOperation(names) },
      '/getMergeQueueMetrics': { get: metricsOperation(names) },
    },
    components: {
      schemas: names.schemas,
      responses,
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'Repeating the key with the same body returns the first answer, for 24 hours.',
          schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          description:
            'The ETag of the settings that were read. If they have changed since, the answer is 412 and nothing is changed.',
          schema: { type: 'string' },
        },
      },
      headers: {
        ETag: {
          description: 'The version of the settings, for If-Match of updateQueue.',
          schema: { type: 'string' },
        },
        RequestId: {
          description: 'The id of this request in the log.',
          schema: { type: 'string' },
        },
        RetryAfter: {
          description: 'Seconds to wait before the next try.',
          schema: { type: 'integer', minimum: 1 },
        },
      },
      securitySchemes: {
        ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'x-api-token' },
        BearerAuth: { type: 'http', scheme: 'bearer', description: 'The same token.' },
        ForkBuild: {
          ...{ type: 'apiKey', in: 'header', name: FORK_BUILD_HEADER },
          description:
            'The id of a running build of a pull request from a fork, in digits; not with a token.',
        },
      },
    },
  };
};

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

const parametersFor = ({ writes, name }: Operation): JsonObject => {
  const names = [...(writes ? ['IdempotencyKey'] : []), ...(name === 'updateQueue' ? ['IfMatch'] : [])];
  if (names.length === 0) return {};
  return { parameters: names.map((parameter) => ({ $ref: `#/components/parameters/${parameter}` })) };
};

const exampleOf = ({ name }: Operation, part: keyof Example): JsonObject => {
  const example = examples[name]?.[part];
  return example === undefined ? {} : { example: example as JsonObject };
};

const NO_TOKEN = 'For a queue with `publicRead` it needs no token.';

/** The empty requirement means no token: enough for a queue with `publicRead`. */
const tokenOrNone: Json = [{ ApiKeyAuth: [] }, { BearerAuth: [] }, {}];
const tokenOrForkBuild: Json = [{ ApiKeyAuth: [] }, { BearerAuth: [] }, { ForkBuild: [] }];

const FORK_BUILD =
  'Where the service can see builds of the code host, a build of a fork needs no token: its list counts as that of a fork.';

const needsOf = ({ scope, opensPublicly, takesForkBuilds }: Operation): string =>
  [
    scope === null ? 'Needs a valid token.' : `Needs the scope \`${scope}\`.`,
    ...(opensPublicly === true ? [NO_TOKEN] : []),
    ...(takesForkBuilds === true ? [FORK_BUILD] : []),
  ].join(' ');

const securityOf = ({ opensPublicly, takesForkBuilds }: Operation): JsonObject => {
  if (opensPublicly === true) return { security: tokenOrNone };
  return takesForkBuilds === true ? { security: tokenOrForkBuild } : {};
};

const postOf = (operation: Operation, names: SchemaNames): JsonObject => ({
  operationId: operation.name,
  summary: operation.summary,
  description: needsOf(operation),
  ...securityOf(operation),
  tags: [operation.tag],
  ...parametersFor(operation),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: names.written(operation.body), ...exampleOf(operation, 'request') },
    },
  },
  responses: {
    200: {
      description: 'Done.',
      headers:
        operation.tagOf === undefined
          ? requestId
          : { ...requestId, ETag: { $ref: '#/components/headers/ETag' } },
      content: {
        'application/json': { schema: names.written(operation.answer), ...exampleOf(operation, 'answer') },
      },
    },
    ...problemResponses(operation.writes || operation.mayConflict === true),
  },
});

const parametersOf = (query: Readonly<Record<string, z.ZodType>>, names: SchemaNames): readonly Json[] =>
  Object.entries(query).map(([name, schema]) => {
    const { description = '', ...rest } = names.written(schema) as JsonObject;
    return { name, in: 'query', description, schema: rest } satisfies Record<string, Json>;
  });

const BADGE_PATH = '/badge/{host}/{owner}/{name}/{branch}.svg';

const badgeOperation = (names: SchemaNames): JsonObject => ({
  operationId: 'getBadge',
  summary: 'Get the state of a queue as a picture for a page.',
  description: `Needs the scope \`read\`. ${NO_TOKEN} Slashes within a part of the path are encoded as \`%2F\`. Clients may keep it for ${BADGE_MAX_AGE_SECONDS} seconds.`,
  security: tokenOrNone,
  tags: ['Queues'],
  parameters: parametersOf(badgeRequest.shape, names).map((one) => ({
    ...(one as JsonObject),
    in: 'path',
    required: true,
  })),
  responses: {
    200: {
      description: 'The picture.',
      headers: { ...requestId, ETag: { $ref: '#/components/headers/ETag' } },
      content: { 'image/svg+xml': { schema: names.written(z.string()) } },
    },
    304: { description: 'The picture that the client has is current.' },
    ...streamResponses,
  },
});

const SHOWN_RULE =
  '`shownRepo`, `shownRepoHost` and `shownBranch` are given together; `shownVersion` needs them.';
const REPOSITORY_RULE = '`repo` and `repoHost` are given together, or neither.';

const eventsOperation = (names: SchemaNames): JsonObject => ({
  operationId: 'streamEvents',
  summary: 'Follow pull requests and queues as server-sent events.',
  description:
    'Needs the scope `read`. A stream of one queue with `publicRead` needs no token. The stream resumes after the event that `Last-Event-ID` names. If events are missing, an event `reset` has the current state of the queue.',
  security: tokenOrNone,
  tags: ['Events'],
  'x-mq-rules': [REPOSITORY_RULE, '`pr` needs `repo`, `repoHost` and `targetBranch`.', SHOWN_RULE],
  parameters: parametersOf(eventsQuery, names),
  responses: {
    200: {
      description: 'The stream. It ends when the service stops; clients then resume it.',
      headers: requestId,
      content: { 'text/event-stream': { schema: names.written(z.string()) } },
    },
    ...streamResponses,
  },
});

const metricsOperation = (names: SchemaNames): JsonObject => ({
  operationId: 'getMergeQueueMetrics',
  summary: 'Get the metrics of the queues in the text exposition format.',
  description: 'Needs the scope `metrics`. Give both `repo` and `repoHost`, or neither.',
  tags: ['Metrics'],
  'x-mq-rules': [REPOSITORY_RULE],
  parameters: parametersOf(metricsQuery, names),
  responses: {
    200: {
      description: 'The metrics.',
      headers: requestId,
      content: { 'text/plain': { schema: names.written(z.string()) } },
    },
    ...errorResponses,
  },
});
