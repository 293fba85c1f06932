import swagger from '@fastify/swagger';
import type { MergeQueue } from '@mq/core';
import fastify from 'fastify';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import { mergeQueueApi } from './plugin.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The OpenAPI 3.1 document of the interface, made from the routes themselves. */
export const openApiDocument = async (): Promise<object> => {
  const app = fastify();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Merge Queue Service API',
        version: '1.0.0',
        description: 'A merge queue service that is driven through an HTTP JSON API.',
      },
      servers: [{ url: '/v1' }],
      components: {
        securitySchemes: { ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'x-api-token' } },
      },
    },
    transform: createJsonSchemaTransform({}),
  });
  await app.register(mergeQueueApi, { mq: {} as MergeQueue, authenticate: () => null });
  await app.ready();
  const document = JSON.parse(JSON.stringify(app.swagger())) as Json;
  await app.close();
  return withComponents(document) as object;
};

const answerOf = (name: string): readonly string[] => [
  'paths',
  `/${name}`,
  'post',
  'responses',
  '200',
  'content',
  'application/json',
  'schema',
];

/** Shapes that several operations share, and where one of them stands; a shape comes after those that hold it. */
const shared: Readonly<Record<string, readonly string[]>> = {
  Problem: [
    'paths',
    '/getQueue',
    'post',
    'responses',
    '400',
    'content',
    'application/problem+json',
    'schema',
  ],
  SubmittedPullRequest: answerOf('submitPullRequest'),
  FoundPullRequest: answerOf('getSubmittedPullRequest'),
  Queue: answerOf('createQueue'),
  EnqueuedPullRequest: [...answerOf('getQueue'), 'properties', 'enqueuedPullRequests', 'items'],
  TestingDetails: [...answerOf('getMergeQueueTestingDetails'), 'properties', 'runs', 'items'],
  Receipt: [...answerOf('listReceipts'), 'properties', 'receipts', 'items'],
  Repository: [...answerOf('createQueue'), 'properties', 'repo'],
};

/** Names the shared shapes once. Done on the finished document: ids in zod's registry would be global to the process. */
const withComponents = (document: Json): Json => {
  const schemas: Record<string, Json> = {};
  const names = new Map<string, string>();
  for (const [name, path] of Object.entries(shared)) {
    const shape = path.reduce<Json | undefined>((node, key) => member(node, key), document);
    if (shape === undefined) throw new Error(`nothing stands at ${path.join(' ')}`);
    names.set(JSON.stringify(bare(shape)), name);
    schemas[name] = shape;
  }
  const paths = referring(member(document, 'paths') ?? null, names);
  for (const [name, shape] of Object.entries(schemas))
    schemas[name] = mapped(shape, (inner) => referring(inner, names));
  const components = member(document, 'components');
  return { ...(document as object), components: { ...(components as object), schemas }, paths };
};

const member = (node: Json | undefined, key: string): Json | undefined =>
  isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;

const isObject = (node: Json | undefined): node is { readonly [key: string]: Json } =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

/** A description of a place is no part of the shape that stands there. */
const bare = (node: Json): Json => {
  if (!isObject(node)) return node;
  const { description, ...rest } = node;
  return rest;
};

const referring = (node: Json, names: ReadonlyMap<string, string>): Json => {
  const name = isObject(node) ? names.get(JSON.stringify(bare(node))) : undefined;
  return name === undefined
    ? mapped(node, (inner) => referring(inner, names))
    : { $ref: `#/components/schemas/${name}` };
};

const mapped = (node: Json, change: (inner: Json) => Json): Json => {
  if (Array.isArray(node)) return node.map(change);
  if (!isObject(node)) return node;
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, change(inner)]));
};
