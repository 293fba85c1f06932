import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openApiDocument, problemStatuses } from '@mq/http';

// Writes docs/reference/openapi.json and docs/reference/http.md from the schemas of @mq/http:
//   npx tsx --conditions=mq-source scripts/generate-http-reference.ts

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly (string | number | null)[];
  readonly const?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly 'x-mq-also-accepts'?: readonly Schema[];
}

interface Content {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requestBody?: Content;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly responses: Readonly<Record<string, Content>>;
}

type Schemas = Readonly<Record<string, Schema>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

const introduction = `# The /v1 API

*Made by \`npm run generate\` from the schemas of \`@mq/http\`; do not edit it by hand.
[openapi.json](openapi.json) says the same to programs.*

- Every request carries an API token in the header \`x-api-token\`, or as \`Authorization: Bearer\`.
- Every operation but the metrics is a \`POST\` with a JSON body (\`Content-Type: application/json\`, UTF-8, at most 20 MiB)
  and answers 200 with a JSON object. Unknown keys of a request are ignored and named in \`warnings\`. What a field accepts besides
  its canonical form stands with the field.
- Errors are [problem details](https://www.rfc-editor.org/rfc/rfc9457) (\`application/problem+json\`) with a stable \`code\`;
  a client that sends \`Accept: text/plain\` gets their \`detail\` as plain text. With 400, \`errors\` lists every fault by the
  path of its field. With 429 and 503, \`Retry-After\` says how many seconds to wait. The metrics operation answers its
  errors as \`application/plain-text\`.
- Operations that write honour \`Idempotency-Key\` (1 to 255 printable ASCII characters): for 24 hours the same key with
  the same body, token and path gets the first answer again; with another body it gets 422.
- Times are ISO 8601 in UTC with milliseconds.
`;

/** The reference as Markdown: operations by subject, then shared shapes, then error codes. */
export const renderReference = (document: Document): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const { schemas } = document.components;
  const bodies = new Set(operations.map(({ operation }) => nameIn(schemaIn(operation.requestBody))));
  const isShared = ([name, schema]: readonly [string, Schema]): boolean =>
    !bodies.has(name) && !isOwnAnswer(name) && !isShortEnumeration(schema);
  return `${[
    introduction.trimEnd(),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...operations
        .filter(({ operation }) => operation.tags.includes(tag))
        .map(({ path, method, operation }) => renderOperation(method, path, operation, schemas)),
    ]),
    '## Shared shapes',
    ...Object.entries(schemas)
      .filter(isShared)
      .map(([name, schema]) => `### ${name}\n\n${renderShape(schema, schemas)}`),
    '## Error codes',
    renderCodes(),
  ].join('\n\n')}\n`;
};

/** Schemas of one operation only, which are listed with that operation. */
const isOwnAnswer = (name: string): boolean => name.endsWith('Answer');

/** Longer enumerations are listed once. */
const SHORT_ENUMERATION = 8;

const isShortEnumeration = ({ enum: values }: Schema): boolean =>
  values !== undefined && values.length <= SHORT_ENUMERATION;

const nameIn = (schema: Schema | undefined): string | undefined => schema?.$ref?.split('/').at(-1);

const resolved = (schema: Schema, schemas: Schemas): Schema => schemas[nameIn(schema) ?? ''] ?? schema;

const renderShape = (schema: Schema, schemas: Schemas): string =>
  schema.properties === undefined
    ? `${typeOf(schema, schemas)}.${schema.description === undefined ? '' : ` ${schema.description}`}`
    : renderFields(schema, schemas);

const renderOperation = (method: string, path: string, operation: Operation, schemas: Schemas): string => {
  const body = schemaIn(operation.requestBody);
  const answer = schemaIn(operation.responses['200']);
  const errors = Object.keys(operation.responses).filter((status) => status !== '200');
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${operation.summary} ${operation.description}`,
    ...(body === undefined ? [] : ['**Request**', renderShape(resolved(body, schemas), schemas)]),
    ...renderQuery(operation, schemas),
    '**Answer**',
    answer === undefined ? 'Text.' : renderAnswer(answer, schemas),
    `**Errors**: ${errors.join(', ')}.`,
  ].join('\n\n');
};

const schemaIn = (content: Content | undefined): Schema | undefined =>
  Object.values(content?.content ?? {})[0]?.schema;

const renderQuery = (operation: Operation, schemas: Schemas): readonly string[] => {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  if (query.length === 0) return [];
  const rows = query.map(({ name, required, description, schema }) =>
    row([
      `\`${name}\``,
      typeOf(schema, schemas),
      required === true ? 'yes' : 'no',
      description ?? schema.description ?? '',
    ]),
  );
  return ['**Query**', [head, ...rows].join('\n')];
};

const renderAnswer = (schema: Schema, schemas: Schemas): string => {
  const name = nameIn(schema);
  if (name === undefined) return 'Text.';
  return isOwnAnswer(name) ? renderFields(resolved(schema, schemas), schemas) : `${typeOf(schema, schemas)}.`;
};

const head = '| Field | Type | Required | Meaning |\n|---|---|---|---|';

const renderFields = (schema: Schema, schemas: Schemas): string =>
  [head, ...fieldRows(schema, schemas)].join('\n');

const fieldRows = (schema: Schema, schemas: Schemas): readonly string[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    return row([`\`${name}\``, typeOf(field, schemas), isRequired ? 'yes' : 'no', meaningOf(field, schemas)]);
  });

const meaningOf = (field: Schema, schemas: Schemas): string => {
  const others = [field, ...(field.anyOf ?? []), field.items, resolved(field, schemas)]
    .flatMap((place) => place?.['x-mq-also-accepts'] ?? [])
    .map(({ description }) => ` Also accepted: ${lowerFirst(description ?? '')}`);
  return `${field.description ?? resolved(field, schemas).description ?? ''}${[...new Set(others)].join('')}`.trim();
};

const lowerFirst = (sentence: string): string => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;

const typeOf = (schema: Schema, schemas: Schemas): string => {
  const name = nameIn(schema);
  const shape = resolved(schema, schemas);
  if (name !== undefined && !isShortEnumeration(shape)) return `[${name}](#${name.toLowerCase()})`;
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices !== undefined) return choices.map((choice) => typeOf(choice, schemas)).join(', or ');
  if (shape.enum !== undefined) return shape.enum.map((value) => `\`${value}\``).join(', ');
  if (shape.const !== undefined) return `\`${shape.const}\``;
  const types = shape.type === undefined ? ['any'] : [shape.type].flat();
  return types.map((type) => wordOf(type, shape, schemas)).join(', or ');
};

const wordOf = (type: string, shape: Schema, schemas: Schemas): string => {
  if (type === 'array') return listOf(shape, schemas);
  if (type === 'null') return 'null';
  if (type === 'object') return 'object';
  if (shape.format === 'date-time') return 'timestamp';
  return shape.format === 'uuid' ? 'UUID' : `${type}${boundsOf(shape)}`;
};

const listOf = ({ items, maxItems }: Schema, schemas: Schemas): string =>
  `list of ${typeOf(items ?? {}, schemas)}${maxItems === undefined ? '' : ` (at most ${maxItems})`}`;

const boundsOf = ({ minimum, maximum, maxLength }: Schema): string => {
  const isBounded = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBounded(minimum) && isBounded(maximum)) return ` ${minimum}–${maximum}`;
  return maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
};

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;

const renderCodes = (): string =>
  [
    '| Status | Codes |\n|---|---|',
    ...[...new Set(Object.values(problemStatuses))]
      .sort((one, other) => one - other)
      .map((status) => {
        const codes = Object.entries(problemStatuses).filter(([, one]) => one === status);
        return row([String(status), codes.map(([code]) => `\`${code}\``).join(', ')]);
      }),
  ].join('\n');

/** The contents of both files, by their paths from the root. */
export const referenceFiles = async (): Promise<Readonly<Record<string, string>>> => {
  const document = openApiDocument();
  return {
    'docs/reference/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/reference/http.md': renderReference(document as unknown as Document),
  };
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  mkdirSync(`${root}docs/reference`, { recursive: true });
  for (const [path, text] of Object.entries(await referenceFiles())) writeFileSync(root + path, text);
}
