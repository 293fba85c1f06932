import type { ClientSource } from './generate-client.js';

// Writes the generated part of @mq/page from the OpenAPI document: the settings of a queue as fields of a form.

interface Property {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

const NOTE = '// Made by `npm run generate` from docs/reference/openapi.json; do not edit it by hand.\n\n';

/** Fields of the request that are not settings, or that the page changes by separate commands, such as instants. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['repo', 'targetBranch', 'state', 'stateReason', 'cancelPending', 'freezeReason'],
  ...[
    'deleteRequiredStatuses',
    'allowNoRequiredStatuses',
    'requiredStatusesSource',
    'allowPublicForkTargets',
  ],
]);

export const pageFiles = (document: string): Readonly<Record<string, string>> => {
  const { schemas } = (JSON.parse(document) as ClientSource).components;
  const properties = (schemas.QueueSettingsRequest?.properties ?? {}) as Readonly<Record<string, Property>>;
  const fields = Object.entries(properties).flatMap(([name, property]) =>
    LEFT_OUT.has(name) || property.format === 'date-time' ? [] : [fieldOf(name, property, schemas)],
  );
  return {
    'packages/page/src/app/generated/settings-fields.ts': `${NOTE}/** The settings of a queue, in the order of the reference. */\nexport const settingsFields = ${JSON.stringify(fields, null, 2)} as const;\n`,
  };
};

const fieldOf = (name: string, property: Property, schemas: ClientSource['components']['schemas']) => {
  const referred = schemas[property.$ref?.split('/').at(-1) ?? ''] as Property | undefined;
  const types = [property.type ?? []].flat();
  const choices = property.enum ?? referred?.enum;
  const { description = '', minimum, maximum } = property;
  if (choices !== undefined) return { name, kind: 'choice', description, choices };
  if (types.includes('boolean')) return { name, kind: 'boolean', description };
  if (types.includes('integer'))
    return { name, kind: 'integer', description, minimum, maximum, isNullable: types.includes('null') };
  if (types.includes('string')) return { name, kind: 'text', description };
  return { name, kind: name === 'batchingRules' ? 'rules' : 'names', description };
};
