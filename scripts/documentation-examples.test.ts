import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stories } from '@mq/testkit';
import ts from 'typescript';
import { afterEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Block {
  readonly page: string;
  readonly number: number;
  readonly language: string;
  readonly code: string;
}

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : []));

const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm)].map(
    ([, language = '', code = ''], index) => ({ page, number: index + 1, language, code }),
  );

const blocks = ['docs/explanation', 'docs/how-to'].flatMap(pagesIn).flatMap(blocksOf);

const story = stories(afterEach);
type Story = (...given: readonly unknown[]) => Promise<void>;
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...parametersAndBody: readonly string[]
) => Story;

const tales = blocks.filter(({ language, code }) => language === 'ts' && code.includes('await story('));

test('the pages that explain the rules contain stories about them', () => {
  expect(new Set(tales.map(({ page }) => page)).size).toBeGreaterThanOrEqual(3);
});

test.each(tales)('story $number of $page happens as written', async ({ code }) => {
  const isFile = /^import /m.test(code);
  const plain = ts.transpile(code.replace(/^import .*$/gm, ''), { target: ts.ScriptTarget.ES2022 });
  if (!isFile) return new AsyncFunction('story', plain)(story);
  const acts: (() => Promise<void>)[] = [];
  const collect = (_: string, act: () => Promise<void>) => acts.push(act);
  await new AsyncFunction('stories', 'afterEach', 'test', plain)(() => story, afterEach, collect);
  expect(acts).not.toEqual([]);
  for (const act of acts) await act();
});

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<
      string,
      { readonly post?: { readonly requestBody: { readonly content: Record<string, { schema: Schema }> } } }
    >
  >;
}

const openApi = JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')) as OpenApi;

/**
 * The fields of a body that the API does not know, and the required ones that are missing. The API itself would
 * ignore a misspelt name.
 */
const faultsOf = (value: unknown, schema: Schema, at: string): string[] => {
  const named = openApi.components.schemas[schema.$ref?.split('/').at(-1) ?? ''];
  if (named !== undefined) return faultsOf(value, named, at);
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at} is ${JSON.stringify(value)}`];
  if (Array.isArray(value))
    return value.flatMap((item, index) => faultsOf(item, schema.items ?? {}, `${at}[${index}]`));
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return [];
  const { properties, required = [] } = schema;
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, inner]) => {
      const known = properties[name];
      return known === undefined ? [`${at}.${name} is not known`] : faultsOf(inner, known, `${at}.${name}`);
    }),
  ];
};

/** Requests by curl whose body stands in the page as it is sent. */
const requests = blocks
  .filter(({ language }) => language === 'sh' || language === 'bash')
  .flatMap(({ page, number, code }) =>
    [...code.matchAll(/\/v1\/(\w+)"?[^']*(?:'content-type[^']*'[^']*)-d '(\{[^']*\})'(?!")/g)].map(
      ([, operation = '', body = '']) => ({ page, number, operation, body }),
    ),
  );

test('the how-to guides show requests', () => {
  expect(requests.length).toBeGreaterThanOrEqual(4);
});

test.each(requests)('$page asks $operation for what it understands', ({ operation, body }) => {
  const schema = Object.values(openApi.paths[`/${operation}`]?.post?.requestBody.content ?? {})[0]?.schema;
  expect(schema, `there is no ${operation}`).toBeDefined();
  expect(faultsOf(JSON.parse(body), schema ?? {}, operation)).toEqual([]);
});

test('files that the guides name by their path in the repository are there', () => {
  const named = blocks
    .flatMap(({ code }) => [...code.matchAll(/(?<![\w/.-])(?:examples|scripts)\/[\w@./-]+\w/g)])
    .map(([path]) => path);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
