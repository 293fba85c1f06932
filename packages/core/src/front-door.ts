import { checked, checkedCommand, requests } from './asking.js';
import type { MergeQueue } from './merge-queue.js';

/** Every request passes here first: what is behind it is never asked for anything that its types do not allow. */
export const frontDoor = (queue: MergeQueue): MergeQueue => ({
  createQueue: async (request) => queue.createQueue(checkedCommand('createQueue', request)),
  updateQueue: async (request) => queue.updateQueue(checkedCommand('updateQueue', request)),
  deleteQueue: async (request) => queue.deleteQueue(checkedCommand('deleteQueue', request)),
  getQueue: async (ref) => queue.getQueue(checked(requests.queue, ref)),
  listQueues: async (where) => queue.listQueues(checked(requests.queues, where)),
  submit: async (request) => queue.submit(checkedCommand('submit', request)),
  cancel: async (request) => queue.cancel(checkedCommand('cancel', request)),
  restartTests: async (request) => queue.restartTests(checkedCommand('restartTests', request)),
  setImpactedTargets: async (request) =>
    queue.setImpactedTargets(checkedCommand('setImpactedTargets', request)),
  getSubmission: async (request) => queue.getSubmission(checked(requests.submission, request)),
  getSubmissions: async (request) => queue.getSubmissions(checked(requests.pullRequests, request)),
  listSubmissions: async (request) => queue.listSubmissions(checked(requests.listSubmissions, request)),
  explain: async (request) => queue.explain(checked(requests.explain, request)),
  estimate: async (request) => queue.estimate(checked(requests.onePullRequest, request)),
  estimates: async (request) => queue.estimates(checked(requests.pullRequests, request)),
  timeline: async (request) => queue.timeline(checked(requests.timeline, request)),
  history: async (request) => queue.history(checked(requests.history, request)),
  receipts: async (request) => queue.receipts(checked(requests.receipts, request)),
  getRun: async (request) => queue.getRun(checked(requests.run, request)),
  listRuns: async (request) => queue.listRuns(checked(requests.runs, request)),
  listTestingResults: async (request) => queue.listTestingResults(checked(requests.testingResults, request)),
  metrics: async (where = {}) => queue.metrics(checked(requests.metrics, where)),
  notice: async (event) => queue.notice(checked(requests.notice, event)),
  on: (name, listener) => queue.on(name, listener),
  tick: () => queue.tick(),
  settled: () => queue.settled(),
  start: () => queue.start(),
  close: () => queue.close(),
});
