import { expect, test } from 'vitest';
import { openApiDocument } from '../src/index.js';
import { operations } from '../src/routes.js';

type Node = Readonly<Record<string, unknown>>;

const document = openApiDocument() as {
  readonly paths: Readonly<Record<string, Node>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
};

/** Every schema inside a node, with its path. */
const nodesIn = (node: unknown, path: string): readonly (readonly [string, Node])[] => {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([key, value]) => nodesIn(value, `${path}/${key}`));
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

test('every named component is referred to', () => {
  const text = JSON.stringify(document);
  const unused = Object.keys(document.components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  );

  expect(unused).toEqual([]);
});

test('one repository is one component, wherever a request or an answer names it', () => {
  const repositories = nodesIn(document, '').filter(([path]) => path.endsWith('/properties/repo'));

  expect(repositories.length).toBeGreaterThan(10);
  expect(new Set(repositories.map(([, { $ref }]) => $ref))).toEqual(
    new Set(['#/components/schemas/Repository']),
  );
});

test('the document has every operation and nothing else', () => {
  expect(Object.keys(document.paths).sort()).toEqual(
    [...operations.map(({ name }) => `/${name}`), '/events', '/getMergeQueueMetrics'].sort(),
  );
});
