import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { repo, TOKEN, targetBranch } from '../api-service.js';
import { quantile } from '../numbers.js';
import { type LargeBody, largeBodies } from './bodies.js';

export interface TrafficAsked {
  readonly port: number;
  readonly waiting: number;
  readonly spare: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly large: LargeBody;
}

export interface Traffic {
  readonly sent: number;
  /** The 99th percentile of the durations of the small requests. */
  readonly p99Ms: number;
  /** How many answers there were, by status: of the small requests, and of the large ones. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly largeStatuses: Readonly<Record<string, number>>;
}

const TICK_MS = 20;

/** Sends requests at a steady rate, however late the answers are. */
export const sendTraffic = async (asked: TrafficAsked): Promise<Traffic> => {
  const { port, perSecond, seconds, large } = asked;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const latenciesMs: number[] = [];
  const [statuses, largeStatuses]: [Record<string, number>, Record<string, number>] = [{}, {}];
  const post = (name: string, body: Buffer) => postTo({ agent, port, name, body });
  const under: Promise<void>[] = [];
  const body = largeBodies[large]?.() ?? null;
  const startedMs = performance.now();
  let [sent, largeSent] = [0, 0];
  while (performance.now() - startedMs < seconds * 1_000) {
    const passedSeconds = (performance.now() - startedMs) / 1_000;
    for (; sent < passedSeconds * perSecond; sent += 1) {
      const { name, fields } = requestAt(sent, asked);
      const askedMs = performance.now();
      const answered = post(name, Buffer.from(JSON.stringify({ repo, targetBranch, ...fields })));
      under.push(
        answered.then((status) => {
          latenciesMs.push(performance.now() - askedMs);
          count(statuses, status);
        }),
      );
    }
    for (; body !== null && largeSent < Math.floor(passedSeconds); largeSent += 1)
      under.push(post('setImpactedTargets', body).then((status) => count(largeStatuses, status)));
    await sleep(TICK_MS);
  }
  await Promise.all(under);
  agent.destroy();
  return { sent, p99Ms: quantile(latenciesMs, 0.99), statuses, largeStatuses };
};

const count = (counts: Record<string, number>, status: string): void => {
  counts[status] = (counts[status] ?? 0) + 1;
};

/**
 * Of ten requests, five read a pull request and two the queue; the others are a submit, a cancel and an upload of
 * targets.
 */
const requestAt = (index: number, { waiting, spare }: TrafficAsked): { name: string; fields: object } => {
  const turn = Math.floor(index / 10);
  const number = 1 + (turn % waiting);
  const other = waiting + 1 + (turn % spare);
  switch (index % 10) {
    case 2:
    case 7:
      return { name: 'getQueue', fields: {} };
    case 4:
      return { name: 'submitPullRequest', fields: { pr: { number: other } } };
    case 9:
      return { name: 'cancelPullRequest', fields: { pr: { number: other } } };
    case 6:
      return { name: 'setImpactedTargets', fields: { pr: { number }, impactedTargets: [`//app/${turn}`] } };
    default:
      return { name: 'getSubmittedPullRequest', fields: { pr: { number } } };
  }
};

const postTo = (to: { agent: Agent; port: number; name: string; body: Buffer }): Promise<string> =>
  new Promise((resolve) => {
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': to.body.length, 'x-api-token': TOKEN },
    };
    const sending = request(
      {
        ...{ host: '127.0.0.1', port: to.port, agent: to.agent, headers },
        method: 'POST',
        path: `/v1/${to.name}`,
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(String(answer.statusCode)));
      },
    );
    sending.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    sending.end(to.body);
  });
