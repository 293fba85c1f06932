import type { QueueSettings } from '@mq/core';
import { type Story, story } from '@mq/testkit';
import { onTestFinished } from 'vitest';
import { type Answer, type Api, type AskOptions, apiWith, queueRef } from './world.js';

export interface EngineWorld {
  readonly q: Story;
  readonly api: Api;
  /** Sends a request about the queue of the story, and waits until the engine is idle again. */
  ask(name: string, body?: object, options?: AskOptions): Promise<Answer>;
}

/** The API with a real engine. The test ends with the check of global invariants. */
export const engineWorld = async (
  settings: Partial<QueueSettings> = {},
  setup: { readonly queue?: boolean; readonly checks?: readonly string[] } = {},
): Promise<EngineWorld> => {
  const q = await story(settings, setup);
  onTestFinished(() => q.ends());
  const api = await apiWith({ mq: q.world.mq });
  return {
    q,
    api,
    ask: (name, body = {}, options = {}) =>
      q.world.act(() => api.post(name, { ...queueRef, ...body }, options)),
  };
};

export const pr = (number: number) => ({ pr: { number } });
