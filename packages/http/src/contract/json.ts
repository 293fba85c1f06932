export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (node: Json | undefined): node is JsonObject =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

/** A copy with each member or element replaced by the result of `change`. */
export const mapped = (node: Json, change: (inner: Json) => Json): Json => {
  if (Array.isArray(node)) return node.map(change);
  if (!isObject(node)) return node;
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, change(inner)]));
};
