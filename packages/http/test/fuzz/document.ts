import { openApiDocument } from '../../src/index.js';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many pull requests the served repository has. */
export const PULL_REQUESTS = 50;

/** Schemathesis ignores patterns with surrogates, and generates none, so they are removed. */
const SURROGATES = String.raw`\ud800-\udfff`;

/**
 * What exists in the served world, by the name of its field. Each is one more form of the field, which allows nothing more:
 * it is drawn often, so that requests are not all answered with 404.
 */
const existing: Record<string, Node> = {
  repo: { const: { host: 'github.com', owner: 'acme', name: 'widgets' } },
  targetBranch: { const: 'main' },
  check: { const: 'unit' },
  number: { type: 'integer', minimum: 1, maximum: PULL_REQUESTS },
};

const withExisting = (name: string, schema: unknown): unknown => {
  const drawn = Object.hasOwn(existing, name) ? existing[name] : undefined;
  return drawn === undefined || !isNode(schema) ? schema : { anyOf: [drawn, schema] };
};

/** Merges the forms that a field also accepts into its schema. */
const asEnforced = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return key === 'pattern' ? value.replaceAll(SURROGATES, '') : value;
  if (Array.isArray(value)) return value.map((one) => asEnforced(one));
  if (!isNode(value)) return value;
  const { 'x-mq-also-accepts': others, ...canonical } = value;
  const inner = Object.fromEntries(
    Object.entries(canonical).map(([name, one]) => {
      const enforced = asEnforced(one, name);
      return [name, key === 'properties' ? withExisting(name, enforced) : enforced];
    }),
  );
  return Array.isArray(others) ? { anyOf: [inner, ...others.map((one) => asEnforced(one))] } : inner;
};

/** The document without `/events`, which never ends. `ids` are ids of existing rows, by the names of their fields. */
export const documentForFuzzing = (ids: Readonly<Record<string, string>>): object => {
  for (const [name, id] of Object.entries(ids)) existing[name] = { const: id };
  const { paths, ...rest } = asEnforced(openApiDocument()) as Node & { readonly paths: Node };
  const { '/events': _stream, ...others } = paths;
  return { ...rest, paths: others };
};
