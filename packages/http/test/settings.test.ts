import { defaultSettings, isInstantSetting, queueSettings } from '@mq/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { engineWorld } from './engine-world.js';

type Name = keyof typeof defaultSettings;

/** A value other than the default, as a request writes it. */
const otherValue = (name: Name): unknown => {
  const schema: z.ZodType = queueSettings.shape[name];
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  if (name === 'batchingRules') return [{ targetPattern: '//a*', policy: 'isolate' }];
  if (isInstantSetting(name)) return '2031-05-01T08:00:00.000Z';
  if (inner instanceof z.ZodBoolean) return defaultSettings[name] === false;
  if (inner instanceof z.ZodEnum) return inner.options.find((option) => option !== defaultSettings[name]);
  if (inner instanceof z.ZodNumber) return (inner.maxValue ?? 2) - 1;
  return inner instanceof z.ZodArray ? ['unit'] : 'release';
};

test.each(Object.keys(queueSettings.shape) as Name[])('%s is answered as it was requested', async (name) => {
  const { ask } = await engineWorld({});
  const change = { [name]: otherValue(name) };
  expect(change[name]).not.toEqual(defaultSettings[name]);
  expect((await ask('updateQueue', change)).json).toMatchObject(change);
  expect((await ask('getQueue')).json).toMatchObject(change);
});
