import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openApiDocument, problemStatuses } from '@mq/http';

// Writes docs/reference/openapi.json and docs/reference/http.md from the schemas of @mq/http:
//   npx tsx --conditions=mq-source scripts/generate-http-reference.ts

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly (string | number | null)[];
  readonly const?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
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

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const introduction = `# The /v1 interface

*Made by \`npm run generate\` from the schemas of \`@mq/http\`; do not edit it by hand.
[openapi.json](openapi.json) says the same to programs.*

- Every request carries an API token in the header \`x-api-token\`, or as \`Authorization: Bearer\`.
- Every operation but the metrics is a \`POST\` with a JSON body (\`Content-Type: application/json\`, UTF-8, at most 20 MiB)
  and answers 200 with a JSON object. Unknown keys of a request are ignored; enumerations are taken in any letter case.
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
  return `${[
    introduction.trimEnd(),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...operations
        .filter(({ operation }) => operation.tags.includes(tag))
        .map(({ path, method, operation }) => renderOperation(method, path, operation)),
    ]),
    '## Shared shapes',
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `### ${name}\n\n${renderFields(schema)}`,
    ),
    '## Error codes',
    renderCodes(),
  ].join('\n\n')}\n`;
};

const renderOperation = (method: string, path: string, operation: Operation): string => {
  const body = schemaIn(operation.requestBody);
  const answer = schemaIn(operation.responses['200']);
  const errors = Object.keys(operation.responses).filter((status) => status !== '200');
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${operation.summary} ${operation.description}`,
    ...(body === undefined ? [] : ['**Request**', renderFields(body)]),
    ...renderQuery(operation),
    '**Answer**',
    answer === undefined ? 'Text.' : renderAnswer(answer),
    `**Errors**: ${errors.join(', ')}.`,
  ].join('\n\n');
};

const schemaIn = (content: Content | undefined): Schema | undefined =>
  Object.values(content?.content ?? {})[0]?.schema;

const renderQuery = (operation: Operation): readonly string[] => {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  if (query.length === 0) return [];
  const rows = query.map(({ name, required, description, schema }) =>
    row([
      `\`${name}\``,
      typeOf(schema),
      required === true ? 'yes' : 'no',
      description ?? schema.description ?? '',
    ]),
  );
  return ['**Query**', [head, ...rows].join('\n')];
};

const renderAnswer = (schema: Schema): string => {
  if (schema.$ref !== undefined) return `${typeOf(schema)}.`;
  if (schema.properties === undefined) return 'Text.';
  return Object.keys(schema.properties).length === 0 ? 'An empty object.' : renderFields(schema);
};

const head = '| Field | Type | Required | Meaning |\n|---|---|---|---|';

const renderFields = (schema: Schema): string => [head, ...fieldRows(schema, '')].join('\n');

const fieldRows = (schema: Schema, prefix: string): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const inner = nested(field);
    return [
      row([`\`${path}\``, typeOf(field), isRequired ? 'yes' : 'no', field.description ?? '']),
      ...(inner === null ? [] : fieldRows(inner.schema, `${path}${inner.suffix}`)),
    ];
  });

/** The object whose fields are listed under a field. */
const nested = (field: Schema): { readonly schema: Schema; readonly suffix: string } | null => {
  if (field.properties !== undefined) return { schema: field, suffix: '.' };
  if (field.items?.properties !== undefined) return { schema: field.items, suffix: '[].' };
  const object = field.anyOf?.find(({ properties }) => properties !== undefined);
  return object === undefined ? null : { schema: object, suffix: '.' };
};

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(', or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.type === 'array')
    return `list of ${typeOf(schema.items ?? {})}${schema.maxItems === undefined ? '' : ` (at most ${schema.maxItems})`}`;
  return `${wordOf(schema)}${boundsOf(schema)}`;
};

const wordOf = ({ type, format }: Schema): string => {
  if (format === 'date-time') return 'timestamp';
  return format === 'uuid' ? 'UUID' : (type ?? 'any');
};

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

/** What both files hold, by their paths from the root. */
export const referenceFiles = async (): Promise<Readonly<Record<string, string>>> => {
  const document = await openApiDocument();
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
