import { type CodeHost, HostError, type Store } from '@mq/core';
import { overrideMethods } from '../override-methods.js';
import type { Counters } from './counters.js';

type Elapsed = () => number;

const stopwatch = (): Elapsed => {
  const begunAt = performance.now();
  return () => (performance.now() - begunAt) / 1000;
};

/** Wraps a store; counts and times its commits. */
export const measuredStore = (store: Store, counters: Counters): Store => {
  const commit: Store['commit'] = async (request) => {
    const elapsed = stopwatch();
    let outcome = 'error';
    try {
      const answer = await store.commit(request);
      outcome = answer.kind;
      return answer;
    } finally {
      counters.count('mq_commits_total', { outcome });
      counters.count('mq_commit_seconds', { outcome }, elapsed());
    }
  };
  return overrideMethods(store, (name) => (name === 'commit' ? commit : null));
};

/** Methods that are not calls to the host: they subscribe or return at once. */
const uncounted: ReadonlySet<string> = new Set(['onEvent']);

/** Wraps a host; counts and times its calls under this name, those about presence and commands included. */
export const measuredHost = <Host extends CodeHost>(host: Host, name: string, counters: Counters): Host => {
  const { presence, commands } = host;
  return overrideMethods(measured(host, name, counters), () => null, {
    presence: presence && measured(presence, name, counters),
    commands: commands && measured(commands, name, counters),
  });
};

const measured = <Calls extends object>(host: Calls, name: string, counters: Counters): Calls =>
  overrideMethods(host, (operation, member) => {
    if (uncounted.has(operation)) return null;
    return (...args: unknown[]): unknown => {
      const elapsed = stopwatch();
      const answer: unknown = Reflect.apply(member, host, args);
      if (!(answer instanceof Promise)) return answer;
      const ended = (outcome: string): void => {
        counters.count('mq_host_calls_total', { host: name, operation, outcome });
        counters.count('mq_host_call_seconds', { host: name, operation }, elapsed());
      };
      return answer.then(
        (value: unknown) => {
          ended('ok');
          return value;
        },
        (error: unknown) => {
          ended(error instanceof HostError && error.retry === 'never' ? 'refused' : 'error');
          throw error;
        },
      );
    };
  });

/** Each host under its own name. */
export const measuredHosts = (
  hosts: Readonly<Record<string, CodeHost>>,
  counters: Counters,
): Readonly<Record<string, CodeHost>> =>
  Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, measuredHost(host, name, counters)]));
