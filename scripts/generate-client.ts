import openapiTS, { astToString } from 'openapi-typescript';

// Writes the generated parts of @mq/client from the OpenAPI document: its types, and the table of its operations.

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { readonly $ref?: string }[];
}

export interface ClientSource {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>>;
  };
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}

const NOTE = '// Made by `npm run generate` from docs/reference/openapi.json; do not edit it by hand.\n\n';
const FOLDER = 'packages/client/src/generated';

const entryOf = ({ operationId, summary, description, parameters = [] }: Operation): string => {
  const isWrite = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'));
  return `  /** ${summary} ${description} */\n  ${operationId}: { writes: ${isWrite} },\n`;
};

const tableOf = ({ paths }: ClientSource): string => {
  const entries = Object.values(paths).flatMap(({ post }) => (post === undefined ? [] : [entryOf(post)]));
  return `${NOTE}/** Each operation that takes a JSON object and answers one; one that writes takes an idempotency key. */\nexport const operationTable = {\n${entries.join('')}} as const;\n`;
};

const settingsOf = ({ components }: ClientSource): string => {
  const {
    repo: _,
    targetBranch: __,
    ...settings
  } = components.schemas.QueueSettingsRequest?.properties ?? {};
  const names = Object.keys(settings).map((name) => `  '${name}',\n`);
  return `${NOTE}/** The fields that createQueue and updateQueue take beside the name of the queue. */\nexport const queueSettingNames = [\n${names.join('')}] as const;\n`;
};

/** The generated files of the client, by their path from the root. */
export const clientFiles = async (document: string): Promise<Readonly<Record<string, string>>> => {
  const types = astToString(await openapiTS(document, { defaultNonNullable: false, silent: true }));
  return {
    [`${FOLDER}/openapi.ts`]: `${NOTE}${types}`,
    [`${FOLDER}/operations.ts`]: tableOf(JSON.parse(document) as ClientSource),
    [`${FOLDER}/queue-settings.ts`]: settingsOf(JSON.parse(document) as ClientSource),
  };
};
