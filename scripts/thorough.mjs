/**
 * The test files that only `npm run verify` runs, so that `npm test` ends within five minutes on two processors. For
 * each promise that needs real processes, one test stays in `npm test`.
 */
/** @type {readonly string[]} */
export const thoroughFiles = [
  'examples/examples.test.ts',
  'packages/core/src/api/follow.property.test.ts',
  'packages/core/src/decide/verdicts/bisect.property.test.ts',
  'packages/core/src/engine/presenter.test.ts',
  'packages/core/src/forecast/forecast.property.test.ts',
  'packages/core/test/claims.story.test.ts',
  'packages/core/test/presence-over-time.story.test.ts',
  'packages/core/test/queue-at-walks.story.test.ts',
  'packages/host-git/test/after-landing.process.test.ts',
  'packages/host-git/test/commands.process.test.ts',
  'packages/host-git/test/git-host.conformance.test.ts',
  'packages/host-git/test/git.scenario.test.ts',
  'packages/host-git/test/group-n.scenario.test.ts',
  'packages/host-git/test/hostile-queue.scenario.test.ts',
  'packages/host-git/test/mq-pr.process.test.ts',
  'packages/host-git/test/pull-request-faults.process.test.ts',
  'packages/host-git/test/races.process.test.ts',
  'packages/host-git/test/refs.process.test.ts',
  'packages/host-git/test/restart.process.test.ts',
  'packages/host-git/test/stopping.process.test.ts',
  'packages/host-git/test/verify.process.test.ts',
  'packages/http/test/contract.property.test.ts',
  'packages/http/test/owasp.test.ts',
  'packages/http/test/raw-bytes.property.test.ts',
  'packages/http/test/secrets.test.ts',
  'packages/server/test/ci-shell.process.test.ts',
  'packages/server/test/ci-worker.process.test.ts',
  'packages/server/test/crash-points.process.test.ts',
  'packages/server/test/data-folder.process.test.ts',
  'packages/server/test/demo.process.test.ts',
  'packages/server/test/deploy.process.test.ts',
  'packages/server/test/events.process.test.ts',
  'packages/server/test/impacted-targets.process.test.ts',
  'packages/server/test/operations.process.test.ts',
  'packages/server/test/replicas-webhooks.process.test.ts',
  'packages/server/test/replicas.process.test.ts',
  'packages/server/test/requests.process.test.ts',
  'packages/server/test/shutdown.process.test.ts',
  'packages/server/test/soak-judge.process.test.ts',
  'packages/server/test/soak.process.test.ts',
  'packages/server/test/start.process.test.ts',
  'packages/server/test/tokens.process.test.ts',
  'packages/simulation/test/planted-types.test.ts',
  'packages/store-postgres/test/engine.scenario.test.ts',
  'packages/store-postgres/test/equivalence.test.ts',
  'packages/store-postgres/test/folder-room.test.ts',
  'packages/store-postgres/test/folder.test.ts',
  'packages/store-postgres/test/history-pages.property.test.ts',
  'packages/store-postgres/test/migrate.test.ts',
  'packages/store-postgres/test/pglite.conformance.test.ts',
  'packages/store-postgres/test/plans.test.ts',
  'packages/store-postgres/test/pooler.conformance.test.ts',
  'packages/store-postgres/test/replicas.test.ts',
  'packages/store-postgres/test/upgrade.test.ts',
  'scripts/client-readme.test.ts',
  'scripts/completion.test.ts',
  'scripts/how-to-ci.test.ts',
  'scripts/mq-command.test.ts',
];

/** The Vitest project whose tests open the page, or run the client, in a browser, and how many tests it has: a run with fewer is a failure. */
export const browserSuite = { project: 'browser', tests: 84 };

/** Test files of which `npm test` runs a sample of seeds, and `npm run verify` all. */
export const seedFiles = [
  'packages/simulation/test/crash-points.test.ts',
  'packages/simulation/test/simulation.test.ts',
];
