import { isInstantSetting, queueSettings, type WithInstantsAs } from '@mq/core';
import { z } from 'zod';
import { anyCase, atMost, instant, timestamp } from './common.js';

// Fields for the settings of a queue, in requests and answers, made from the one description of each in @mq/core.

/** Max length of a list in any setting; each setting has its own, lower limit. */
const SETTING_LIST_LIMIT = 1000;

type Settings = z.output<typeof queueSettings>;
type Name = keyof Settings;

const { shape } = queueSettings;
const rule = shape.batchingRules.element.shape;
const names = Object.keys(shape) as Name[];

export const batchingRuleRequest = z.object({
  targetPattern: rule.targetPattern,
  policy: anyCase(['isolate'], rule.policy),
});
export const batchingRule = z.object({ targetPattern: z.string(), policy: rule.policy });

const withoutNull = (schema: z.ZodType): unknown =>
  schema instanceof z.ZodNullable ? schema.unwrap() : schema;

/** Instants outside the range of the setting are clamped to it. */
const clamped = (setting: unknown): z.ZodType => {
  const { minValue, maxValue } = setting as z.ZodInt;
  return instant.transform((at) => Math.min(Math.max(at, minValue ?? at), maxValue ?? at)).nullable();
};

/** Takes enumerations in any letter case, instants as ISO 8601, and all else as the engine does. */
const requestField = (name: Name): z.ZodType => {
  const setting: z.ZodType = shape[name];
  const inner = withoutNull(setting);
  if (name === 'batchingRules')
    return atMost(SETTING_LIST_LIMIT, z.array(batchingRuleRequest)).pipe(shape.batchingRules);
  if (isInstantSetting(name)) return clamped(inner);
  if (inner instanceof z.ZodEnum) return anyCase(inner.options.map(String), setting);
  return inner instanceof z.ZodArray ? atMost(SETTING_LIST_LIMIT, setting) : setting;
};

/** Promises the type only: the bounds are those of requests. */
const answerField = (name: Name): z.ZodType => {
  const setting: z.ZodType = shape[name];
  if (name === 'batchingRules') return z.array(batchingRule);
  const inner = isInstantSetting(name) ? timestamp : bare(withoutNull(setting), name);
  return setting instanceof z.ZodNullable ? inner.nullable() : inner;
};

const bare = (setting: unknown, name: Name): z.ZodType => {
  if (setting instanceof z.ZodNumber) return z.int();
  if (setting instanceof z.ZodBoolean) return z.boolean();
  if (setting instanceof z.ZodString) return z.string();
  if (setting instanceof z.ZodArray) return z.array(z.string());
  if (setting instanceof z.ZodEnum) return setting;
  throw new Error(`No answer shows a setting of the kind of ${name}.`);
};

const describe = (name: Name, field: z.ZodType): z.ZodType => field.describe(shape[name].description ?? '');

/** All settings, each optional, with the engine's bounds and descriptions. */
export const requestedSettings = Object.fromEntries(
  names.map((name) => [name, describe(name, requestField(name).exactOptional())]),
) as { [N in Name]: z.ZodExactOptional<z.ZodType<Settings[N]>> };

/** All settings, as answers show them. */
export const answeredSettings = Object.fromEntries(
  names.map((name) => [name, describe(name, answerField(name))]),
) as { [N in Name]: z.ZodType<WithInstantsAs<string, Settings>[N]> };
