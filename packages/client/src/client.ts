import { type EventsOptions, type EventsRequest, events, type MqEvent } from './events.js';
import type { operations } from './generated/openapi.js';
import { type AnswerOf, type Operations, operationsOf, type RequestOf } from './operations.js';
import { type PagedOperation, pagesOf } from './pages.js';
import { withRetries } from './retry.js';
import { type CallOptions, type ClientOptions, Transport } from './transport.js';
import { type Waited, type WaitForOptions, type WaitForRequest, waitFor } from './wait-for.js';

export interface Client extends Operations {
  /** The pages of an operation that answers page by page. Each is requested when the iteration reaches it. */
  pages<Name extends PagedOperation>(
    name: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): AsyncGenerator<AnswerOf<Name>, void, undefined>;
  /**
   * Events as they happen, each once; a stream that ends is resumed. Ends when the signal aborts, or with a `break`.
   */
  events(request?: EventsRequest, options?: EventsOptions): AsyncGenerator<MqEvent, void, undefined>;
  /** Resolves when the pull request is merged, has failed or was cancelled, or is in one of the states of `until`. */
  waitFor(request: WaitForRequest, options?: WaitForOptions): Promise<Waited>;
  /** The metrics in the text exposition format. `repo` is `owner/name`. */
  getMergeQueueMetrics(
    request?: NonNullable<operations['getMergeQueueMetrics']['parameters']['query']>,
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<string>;
}

/**
 * A client of one server. It has no connection and no state, so one client can serve a whole program. Calls with a
 * transient failure are retried: reads, and writes under one `Idempotency-Key`.
 */
export const createClient = (options: ClientOptions): Client => {
  const transport = new Transport(options);
  return {
    ...operationsOf(transport),
    pages: (name, request, callOptions) => pagesOf(transport, name, request, callOptions),
    events: (request = {}, eventsOptions) => events(transport, request, eventsOptions),
    waitFor: (request, waitOptions) => waitFor(transport, request, waitOptions),
    getMergeQueueMetrics: (request = {}, { signal } = {}) => {
      const query = new URLSearchParams(Object.entries(request));
      const path = query.size === 0 ? 'getMergeQueueMetrics' : `getMergeQueueMetrics?${query}`;
      return withRetries(() => transport.text({ path, init: {}, signal }), transport.retry, signal);
    },
  };
};
