import { expect, test } from 'vitest';
import { environmentVariables } from './config.js';
import { unknownVariables } from './unknown-variables.js';

const named = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'value']));

test('an unknown variable with a name like those of the server is reported', () => {
  expect(unknownVariables(named('PATH', 'MQ_TOKN', 'MQ_DATTA'))).toEqual(['MQ_DATTA', 'MQ_TOKN']);
});

test('those of the server, of its other programs, and of a Service of Kubernetes are not', () => {
  const ofService = ['HOST', 'PORT', 'PORT_HTTP'].map((name) => `MQ_SERVICE_${name}`);
  const ofPort = ['', '_8787_TCP', '_8787_TCP_PROTO', '_8787_TCP_PORT', '_8787_TCP_ADDR'];
  const others = ['MQ_URL', 'MQ_DB_SERVICE_HOST', ...ofService, ...ofPort.map((name) => `MQ_PORT${name}`)];

  expect(unknownVariables(named(...Object.keys(environmentVariables), ...others))).toEqual([]);
});
