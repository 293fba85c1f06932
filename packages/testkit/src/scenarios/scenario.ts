import { catalogueEntry, type Layer } from './catalogue.js';
import type { Driver, Setup } from './driver.js';
import { scenarios } from './scenarios.js';

/** One scenario of the catalogue, written once for all layers. */
export interface Scenario {
  readonly id: string;
  readonly setup?: Setup;
  /** Layers of the catalogue on which it cannot run yet, with the reason. */
  readonly notOn?: Readonly<Partial<Record<Layer, string>>>;
  readonly tell: (q: Driver) => Promise<void>;
}

export interface ScenarioRunner {
  readonly test: (name: string, body: () => Promise<void>) => void;
}

/**
 * Registers a test for each scenario that must hold on one of these layers. Each starts with a new driver and ends with the
 * global check. Call it once per layer.
 */
export const registerScenarios = (
  runner: ScenarioRunner,
  on: readonly Layer[],
  begin: (setup: Setup) => Promise<Driver>,
): void => {
  for (const scenario of scenarios) {
    const entry = catalogueEntry(scenario.id);
    if (!on.some((layer) => entry.layers.includes(layer) && scenario.notOn?.[layer] === undefined)) continue;
    runner.test(`${scenario.id} ${entry.title}`, async () => {
      const driver = await begin(scenario.setup ?? {});
      await scenario.tell(driver);
      await driver.ends();
    });
  }
};
