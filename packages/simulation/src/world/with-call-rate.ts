import type { CodeHost } from '@mq/core';
import { CallRate } from '../oracle/call-rate.js';
import type { Timeline } from './timeline.js';

/** The host of one process. Reports each call that is repeated without an event or a pause. */
export const withCallRate = (
  host: Required<CodeHost>,
  timeline: Timeline,
  report: (faults: readonly string[]) => void,
): Required<CodeHost> => {
  const callRate = new CallRate();
  host.onEvent(() => callRate.heardEvent(timeline.now));
  return new Proxy(host, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'onEvent') return method;
      return (...args: readonly unknown[]): unknown => {
        report(callRate.faultsOf(String(name), args, timeline.now));
        return Reflect.apply(method, target, args);
      };
    },
  });
};
