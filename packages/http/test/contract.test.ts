import { expect, test } from 'vitest';
import { examples } from '../src/contract/examples.js';
import { openApiDocument } from '../src/index.js';
import { operations } from '../src/routes.js';
import { answerFault, isCanonical } from './contract-check.js';

type Node = Readonly<Record<string, unknown>>;

const document = openApiDocument() as {
  readonly paths: Readonly<Record<string, Node>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
};

/** Keywords that restrict or widen a schema. Their content is not the schema of a field. */
const conditions = new Set(['not', 'x-mq-also-accepts', 'example', 'examples']);

/** Every schema inside a node, with its path. */
const nodesIn = (node: unknown, path: string): readonly (readonly [string, Node])[] => {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node)
    .filter(([key]) => !conditions.has(key))
    .flatMap(([key, value]) => nodesIn(value, `${path}/${key}`));
  return Array.isArray(node) ? inner : [[path, node as Node], ...inner];
};

const isShape = ({ properties, enum: values }: Node): boolean =>
  typeof properties === 'object' || Array.isArray(values);

test('every object and enumeration of the document is a named component', () => {
  const inline = nodesIn(document, '')
    .filter(([path, node]) => isShape(node) && !/^\/components\/schemas\/\w+$/.test(path))
    .map(([path]) => path);

  expect(inline, 'give each a name in src/contract/components.ts').toEqual([]);
});

test('every named component is referenced', () => {
  const text = JSON.stringify(document);
  const unused = Object.keys(document.components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  );

  expect(unused).toEqual([]);
});

test('requests and answers use the same component for a repository', () => {
  const repositories = nodesIn(document, '').filter(([path]) => path.endsWith('/properties/repo'));

  expect(repositories.length).toBeGreaterThan(10);
  const named = repositories.map(([, node]) => JSON.stringify(node).match(/"#[^"]+"/g));
  expect(new Set(named.map(String))).toEqual(new Set(['"#/components/schemas/Repository"']));
});

test('the document has exactly the operations of the API', () => {
  expect(Object.keys(document.paths).sort()).toEqual(
    [
      ...operations.map(({ name }) => `/${name}`),
      '/events',
      '/getMergeQueueMetrics',
      '/badge/{host}/{owner}/{name}/{branch}.svg',
    ].sort(),
  );
});

/** The fields of a request that accept more than their canonical form, by path. */
const leniencies = (node: Node, path: string): readonly (readonly [string, readonly Node[]])[] => {
  const named = document.components.schemas[String(node.$ref).split('/').at(-1) ?? ''];
  const own = node['x-mq-also-accepts'];
  const fields = Object.entries((node.properties ?? {}) as Record<string, Node>);
  const inner = node.items === undefined ? fields : [...fields, ['[]', node.items as Node] as const];
  return [
    ...(Array.isArray(own) ? [[path, own as readonly Node[]] as const] : []),
    ...(named === undefined ? [] : leniencies(named, path)),
    ...((node.anyOf ?? node.oneOf ?? []) as readonly Node[]).flatMap((one) => leniencies(one, path)),
    ...inner.flatMap(([name, field]) => leniencies(field, `${path}.${name}`)),
  ];
};

const requestOf = (name: string): Node => {
  const post = document.paths[`/${name}`]?.post as
    | { readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Node }>> } }
    | undefined;
  return post?.requestBody.content['application/json']?.schema ?? {};
};

const lenient = operations.flatMap(({ name }) => leniencies(requestOf(name), name));

test('each field that accepts more than its canonical form documents it, in words and as a schema', () => {
  expect(lenient.length).toBeGreaterThan(20);
  expect(lenient.filter(([, forms]) => !forms.every(({ type, description }) => type && description))).toEqual(
    [],
  );
});

test.each(operations.map(({ name }) => [name]))(
  '%s has an example of a request and of its answer, and both fit',
  (name) => {
    const { request, answer } = examples[name] ?? {};

    expect(request, 'give it one in src/contract/examples.ts').toBeDefined();
    expect(isCanonical(name, request)).toBe(true);
    expect(
      answerFault('post', `/${name}`, {
        status: 200,
        headers: { 'content-type': 'application/json' },
        json: answer,
      }),
    ).toBeNull();
  },
);
