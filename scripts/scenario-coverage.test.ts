import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { coverageOf, pages, scenariosIn } from './scenario-coverage.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const entries = {
  path: 'packages/testkit/src/scenarios/catalogue-entries.ts',
  text: 'T-A01|ML|one\nT-A02|M|two|batches\n',
};
const group = (text: string) => ({ path: 'packages/testkit/src/scenarios/group-a.ts', text });
const driver = {
  path: 'packages/core/test/engine.scenario.test.ts',
  text: "registerScenarios({ test }, ['U', 'M'], begin)",
};

test('the page of the scenarios is what the tests say', () => {
  const { wanted, found } = pages(root);
  expect(found, 'run `npm run generate` and commit the page').toBe(wanted);
});

test('a scenario counts on the layers that have a driver, and says what the others need', () => {
  const [one, two] = coverageOf([entries, group("{ id: 'T-A01', tell }"), driver]);
  expect(one?.tested).toEqual(['M']);
  expect(one?.open).toEqual([{ layer: 'L', because: 'needs a driver for the local git host' }]);
  expect(two?.open).toEqual([{ layer: 'M', because: 'needs batches' }]);
});

test('a scenario that cannot run on a layer says why', () => {
  const written = group("{ id: 'T-A01', notOn: { M: 'it has no time' }, tell }");
  const [one] = coverageOf([entries, written, driver]);
  expect(one?.open[0]).toEqual({ layer: 'M', because: 'it has no time' });
});

test('a test with an ID in its own name counts for the layer of its package', () => {
  const own = { path: 'packages/host-git/test/hostile.test.ts', text: "test('T-A01 it lands', () => {})" };
  expect(coverageOf([entries, own])[0]?.tested).toEqual(['L']);
});

test('a scenario that is defined twice, or unknown, is an error', () => {
  expect(() => scenariosIn([group("{ id: 'T-A01' }, { id: 'T-A01' }")])).toThrow('T-A01 is defined twice');
  expect(() => coverageOf([entries, group("{ id: 'T-Z09' }")])).toThrow('T-Z09 is not in the catalogue');
});
