import { openApiDocument } from '../../src/index.js';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Schemathesis ignores patterns with surrogates, and generates none, so they are removed. */
const SURROGATES = String.raw`\ud800-\udfff`;

/** Merges the forms that a field also accepts into its schema. */
const asEnforced = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return key === 'pattern' ? value.replaceAll(SURROGATES, '') : value;
  if (Array.isArray(value)) return value.map((one) => asEnforced(one));
  if (!isNode(value)) return value;
  const { 'x-mq-also-accepts': others, ...canonical } = value;
  const inner = Object.fromEntries(
    Object.entries(canonical).map(([name, one]) => [name, asEnforced(one, name)]),
  );
  return Array.isArray(others) ? { anyOf: [inner, ...others.map((one) => asEnforced(one))] } : inner;
};

/** The document without `/events`, which never ends. */
export const documentForFuzzing = (): object => {
  const { paths, ...rest } = asEnforced(openApiDocument()) as Node & { readonly paths: Node };
  const { '/events': _stream, ...others } = paths;
  return { ...rest, paths: others };
};
