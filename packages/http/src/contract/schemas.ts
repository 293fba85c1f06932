import { z } from 'zod';
import { operations } from '../routes.js';
import { documentedAs } from '../schemas/common.js';
import { components } from './components.js';
import { isObject, type Json, type JsonObject, mapped } from './json.js';

/** Keywords that do not affect validation. They stay beside the reference that replaces a schema. */
const annotations = new Set(['description', 'examples', 'x-mq-also-accepts', 'x-mq-rules']);

/** The named schemas of the document, and how other schemas refer to them. */
export interface SchemaNames {
  readonly schemas: Readonly<Record<string, Json>>;
  /** Returns a reference if the schema has a name, else the schema with references inside. */
  written(schema: z.ZodType): Json;
}

export const schemaNames = (): SchemaNames => {
  const shapes = namedShapes();
  const names = new Map([...shapes].map(([name, shape]) => [keyOf(shape), name]));
  if (names.size !== shapes.size)
    throw new Error(`components with the same shape need one name: ${sameShapes(shapes)}`);
  const written = (node: Json): Json => {
    const name = isObject(node) ? names.get(keyOf(node)) : undefined;
    return name === undefined ? inside(node) : { $ref: referenceTo(name), ...annotationsOf(node) };
  };
  const inside = (node: Json): Json => compact(mapped(node, written));
  return {
    schemas: Object.fromEntries([...shapes].map(([name, shape]) => [name, inside(shape)])),
    written: (schema) => written(jsonSchemaOf(schema)),
  };
};

const referenceTo = (name: string): string => `#/components/schemas/${name}`;

/** The named components, then the bodies and answers of operations that are not among them. */
const namedShapes = (): ReadonlyMap<string, JsonObject> => {
  const shapes = new Map(Object.entries(components).map(([name, schema]) => [name, jsonSchemaOf(schema)]));
  const keys = new Set([...shapes.values()].map(keyOf));
  for (const { name, body, answer } of operations)
    for (const [part, schema] of [
      ['Request', body],
      ['Answer', answer],
    ] as const) {
      const shape = jsonSchemaOf(schema);
      if (keys.has(keyOf(shape))) continue;
      keys.add(keyOf(shape));
      shapes.set(`${name.charAt(0).toUpperCase()}${name.slice(1)}${part}`, shape);
    }
  return shapes;
};

const sameShapes = (shapes: ReadonlyMap<string, JsonObject>): string => {
  const all = [...shapes].map(([name, shape]) => ({ name, key: keyOf(shape) }));
  return all
    .filter(({ name, key }) => all.some((other) => other.key === key && other.name !== name))
    .map(({ name }) => name)
    .join(', ');
};

/** The JSON Schema of a value on the wire, without references. */
const jsonSchemaOf = (schema: z.ZodType): JsonObject => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', override: asDocumented });
  return JSON.parse(JSON.stringify(rest)) as JsonObject;
};

interface Written {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

const asDocumented = ({ zodSchema, jsonSchema }: Written): void => {
  const other = documentedAs(zodSchema as z.ZodType);
  if (other !== undefined) {
    for (const key of Object.keys(jsonSchema)) if (!annotations.has(key)) delete jsonSchema[key];
    Object.assign(jsonSchema, jsonSchemaOf(other));
  }
  if (zodSchema instanceof z.ZodObject) Object.assign(jsonSchema, requiredOf(zodSchema));
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  }
};

/** The required fields, found by trying: zod marks a field with a `preprocess` step as optional although it is not. */
const requiredOf = ({ shape }: z.ZodObject): { readonly required?: string[] } => {
  const required = Object.entries(shape)
    .filter(([, field]) => !z.object({ field: field as z.ZodType }).safeParse({}).success)
    .map(([name]) => name);
  return required.length === 0 ? {} : { required };
};

const keyOf = (shape: JsonObject): string =>
  JSON.stringify(Object.fromEntries(Object.entries(shape).filter(([key]) => !annotations.has(key))));

const annotationsOf = (shape: Json): JsonObject =>
  isObject(shape) ? Object.fromEntries(Object.entries(shape).filter(([key]) => annotations.has(key))) : {};

/** Writes `anyOf` of a type and null as `type: [integer, null]`. */
const compact = (node: Json): Json => {
  if (!isObject(node) || !Array.isArray(node.anyOf) || node.anyOf.length !== 2) return node;
  const [value, empty] = node.anyOf as readonly Json[];
  const isNullable =
    isObject(empty) && empty.type === 'null' && isObject(value) && typeof value.type === 'string';
  if (!isNullable || value.enum !== undefined || value.const !== undefined) return node;
  const { anyOf, ...rest } = node;
  return { ...value, type: [value.type as string, 'null'], ...rest };
};
