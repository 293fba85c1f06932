import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../src/index.js';

type Node = Readonly<Record<string, unknown>>;

interface Content {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Node }>>;
}

interface Operation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>;
    readonly responses: Readonly<Record<string, Content>>;
  };
}

export const document = openApiDocument() as unknown as Document;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = (value: unknown, change: (node: Node) => Node): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (!isNode(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, change)])),
  );
};

/** Forbids undocumented fields in answers. Clients ignore such fields, but here they are faults. */
const closed = (node: Node): Node =>
  node.type === 'object' && isNode(node.properties) ? { additionalProperties: false, ...node } : node;

/** Extends the schema of a field by the forms that it also accepts. */
const widened = (node: Node): Node => {
  const { 'x-mq-also-accepts': others, ...canonical } = node;
  return Array.isArray(others) ? { anyOf: [canonical, ...others] } : node;
};

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'canonical' });
ajv.addSchema({ ...(mapped(document, closed) as object), $id: 'answers' });
ajv.addSchema({ ...(mapped(document, widened) as object), $id: 'requests' });

const validators = new Map<string, ValidateFunction>();

const validatorOf = (document: string, path: readonly string[]): ValidateFunction => {
  const pointer = path.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const $ref = `${document}#/${encodeURI(pointer)}`;
  const validator = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validator);
  return validator;
};

const requestPath = (name: string): readonly string[] => [
  'paths',
  `/${name}`,
  'post',
  'requestBody',
  'content',
  'application/json',
  'schema',
];

/** True if a body is valid in its canonical form. */
export const isCanonical = (name: string, body: unknown): boolean =>
  validatorOf('canonical', requestPath(name))(body);

/** True if a body is valid in any documented form. */
export const isDescribed = (name: string, body: unknown): boolean =>
  validatorOf('requests', requestPath(name))(body);

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as a client would
  readonly json: any;
}

/** How an answer differs from the document; null if it does not. */
export const answerFault = (method: string, path: string, answer: Answered): string | null => {
  const operation = document.paths[path]?.[method];
  if (operation === undefined) return null;
  const response = operation.responses[answer.status];
  if (response === undefined) return `${path} does not document the status ${answer.status}`;
  const name = response.$ref?.split('/').at(-1);
  const content = (name === undefined ? response : document.components.responses[name])?.content ?? {};
  const type = String(answer.headers['content-type']).split(';')[0] ?? '';
  // With `Accept: text/plain`, the detail of any error is answered as text.
  if (type === 'text/plain' && answer.status !== 200) return null;
  if (content[type] === undefined) return `${path} does not document ${type} with ${answer.status}`;
  if (!type.endsWith('json')) return null;
  const place =
    name === undefined
      ? ['paths', path, method, 'responses', String(answer.status)]
      : ['components', 'responses', name];
  const validate = validatorOf('answers', [...place, 'content', type, 'schema']);
  return validate(answer.json) ? null : `${path}: ${ajv.errorsText(validate.errors)}`;
};

/** Why the acceptance or refusal of a request contradicts the document; null if it does not. */
export const requestFault = (name: string, sent: string, answer: Answered): string | null => {
  if (document.paths[`/${name}`]?.post === undefined) return null;
  const accepted = answer.status === 200;
  const refused = answer.status === 400 && isRefusedBody(answer.json);
  if (!accepted && !refused) return null;
  const validate = validatorOf('requests', requestPath(name));
  const body: unknown = JSON.parse(sent.replace(/^\uFEFF/, ''));
  const described = validate(body);
  if (accepted && !described)
    return `${name} accepts what the document forbids: ${ajv.errorsText(validate.errors)}`;
  if (refused && described && !isByRules(name, pathsIn(answer.json)))
    return `${name} refuses what the document allows: ${answer.json.detail}`;
  return null;
};

const isRefusedBody = ({ code, errors = [] }: { code?: string; errors?: { path: string }[] }): boolean =>
  code === 'INVALID_REQUEST' && errors.length > 0 && errors.every(({ path }) => path !== 'Idempotency-Key');

const pathsIn = ({ errors = [] }: { errors?: { path: string }[] }): readonly string[] =>
  errors.map(({ path }) => path);

/** True if all refused fields are named in `x-mq-rules`, the rules that JSON Schema cannot express. */
export const isByRules = (name: string, paths: readonly string[]): boolean => {
  const schema = document.paths[`/${name}`]?.post?.requestBody?.content?.['application/json']?.schema;
  const component = String(schema?.$ref).split('/').at(-1) ?? '';
  const rules = String(document.components.schemas[component]?.['x-mq-rules'] ?? '');
  const fields = new Set([...rules.matchAll(/`(\w+)/g)].map(([, field]) => field));
  return paths.every((path) => fields.has(path.split(/[.[]/, 1)[0] ?? ''));
};
