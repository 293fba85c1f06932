export * from './builders.js';
export {
  type CheckStoreUnderTest,
  checkStoreConformance,
} from './check-store-conformance/check-store-conformance.js';
export {
  type CommandHostWorld,
  commandHostConformance,
} from './command-host-conformance/command-host-conformance.js';
export { contentCrashes, contentPasses } from './fake-host/content-truth.js';
export {
  type CiQuestion,
  type FakeCheck,
  FakeCi,
  type FakeCiOptions,
  type ShownChecks,
} from './fake-host/fake-ci.js';
export { FakeDiscussion, type FakeWrite, personNamed, QUEUE_ACCOUNT } from './fake-host/fake-discussion.js';
export { type FakeCommit, FakeGit, type Files, treeOf } from './fake-host/fake-git.js';
export { fakeHookReceiver, signedFakeEvent } from './fake-host/fake-hooks.js';
export {
  type FakeHost,
  type FakeHostOptions,
  fakeHost,
  type Intercept,
  type NewRepository,
  type PortCall,
  type RepositorySnapshot,
} from './fake-host/fake-host.js';
export { FakeRepository } from './fake-host/fake-repository.js';
export {
  type BranchMove,
  commitsOf,
  type Edits,
  type FakePull,
  fileOf,
  type NewPullRequest,
} from './fake-host/pull-request.js';
export {
  type Evidence,
  fakeHostEvidence,
  gatherEvidence,
  type HostEvidence,
} from './global-check/evidence.js';
export { globalCheck } from './global-check/global-check.js';
export { countedTargets, doMeet } from './global-check/targets.js';
export {
  type HostCommandStoreUnderTest,
  hostCommandStoreConformance,
} from './host-command-store-conformance/host-command-store-conformance.js';
export { hostConformance } from './host-conformance/host-conformance.js';
export { type BuiltRun, HostUnderTest } from './host-conformance/under-test.js';
export type {
  FileChanges,
  HeadDamage,
  HostWorld,
  LoggedCommit,
  NewCommit,
  NewPull,
  PullChange,
} from './host-conformance/world.js';
export { pagedStore } from './paged-store.js';
export {
  type PresenceHostUnderTest,
  presenceConformance,
} from './presence-conformance/presence-conformance.js';
export {
  type PresenceStoreUnderTest,
  presenceStoreConformance,
} from './presence-store-conformance/presence-store-conformance.js';
export { aChain, aReceipt, rechained } from './receipt-builders.js';
export { type CatalogueEntry, catalogue, type Layer, layers } from './scenarios/catalogue.js';
export type * from './scenarios/driver.js';
export { registerScenarios, type Scenario, type ScenarioRunner } from './scenarios/scenario.js';
export { scenarios } from './scenarios/scenarios.js';
export {
  type ServiceStoreUnderTest,
  serviceStoreConformance,
} from './service-store-conformance/service-store-conformance.js';
export { storeConformance } from './store-conformance/store-conformance.js';
export type { StoreUnderTest, TestRunner } from './store-conformance/world.js';
export { randomTrace } from './store-traces/random-trace.js';
export { firstDifference, type TraceDifference, type TracedStore } from './store-traces/store-traces.js';
export { TRACE_START, type TraceStep, traceKinds } from './store-traces/trace-step.js';
export { assertionsOf } from './story/assertions.js';
export { QueueWorld } from './story/queue-world.js';
export type { SeenCheck, SeenCommit } from './story/snapshot.js';
export { type Story, stories, story } from './story/story.js';
export { type QueueOutcome, whileOneStalls } from './story/two-queues.js';
export { queueVerbs, worldVerbs } from './story/verbs.js';
export {
  type SummaryStoreUnderTest,
  summaryStoreConformance,
} from './summary-store-conformance/summary-store-conformance.js';
export { aToken } from './token-builders.js';
export { VIRTUAL_START, type VirtualClock, virtualClock } from './virtual-clock.js';
export { aDelivery, aWebhook } from './webhook-builders.js';
export {
  type WebhookStoreUnderTest,
  webhookStoreConformance,
} from './webhook-store-conformance/webhook-store-conformance.js';
