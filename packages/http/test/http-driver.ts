import type { MergeQueue, QueueSettings } from '@mq/core';
import {
  type Driver,
  type QueueVerbs,
  type Setup,
  type Sights,
  type Story,
  type SubmitOptions,
  story,
} from '@mq/testkit';
import type { FindBuild } from '../src/index.js';
import { type Api, apiWith, queueRef } from './world.js';

/** A commit that is not the head of any pull request. */
const ANOTHER_HEAD = 'a'.repeat(40);

/** Commands to the queue and reads of it go over HTTP. Host, CI and time are those of the wrapped story. */
export const httpDriver = async ({ settings = {}, queue, ...setup }: Setup): Promise<Driver> => {
  const base = await story({}, { ...setup, queue: false });
  const traffic: Traffic = { sent: 0, arrived: 0, ended: 0 };
  const api = await apiWith({ mq: enginesOf(base, traffic), findBuild: buildsOf(base) });
  const ask = askOf(api, traffic);
  const verbs = queueVerbs(base, api, ask);
  if (queue !== false) await verbs.createsQueue(settings);
  return {
    ...base,
    ...verbs,
    ...sights(base, api, ask),
    beforeLanding: (act) =>
      base.beforeLanding(async () => {
        Object.assign(traffic, { sent: 0, arrived: 0, ended: 0 });
        await act();
        // The request goes over HTTP; the landing takes effect only when the request has reached the engine.
        while (traffic.sent > Math.max(traffic.arrived, traffic.ended))
          await new Promise((resolve) => setImmediate(resolve));
      }),
  };
};

/** Numbers of requests that were sent, that reached the engine, and that were answered. */
interface Traffic {
  sent: number;
  arrived: number;
  ended: number;
}

/** The current engine, which a crash replaces. */
const enginesOf = ({ world }: Story, traffic: Traffic): MergeQueue =>
  new Proxy({} as MergeQueue, {
    get: (_none, name) => {
      const member: unknown = Reflect.get(world.mq, name);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        traffic.arrived += 1;
        return member.apply(world.mq, args);
      };
    },
  });

class Refused extends Error {
  constructor(
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers as a client would
type Ask = (name: string, body?: object) => Promise<any>;

const askOf =
  (api: Api, traffic: Traffic): Ask =>
  async (name, body = {}) => {
    traffic.sent += 1;
    const answer = await api.post(name, { ...queueRef, ...body });
    traffic.ended += 1;
    if (answer.status !== 200) throw new Refused(answer.json.code, answer.json.detail);
    return answer.json;
  };

/** One build for each pull request, in a fork, with the number of the pull request as its id. */
const buildsOf =
  ({ world }: Story): FindBuild =>
  async ({ host, name }, buildId) => ({
    ...{ isInProgress: true, event: 'pull_request', headRepo: { host, owner: 'stranger', name } },
    head: world.headOf(Number(buildId)) ?? '',
  });

const queueVerbs = ({ world }: Story, api: Api, ask: Ask): QueueVerbs => {
  const does = (name: string, body?: object): Promise<void> =>
    world.act(async () => {
      await ask(name, body);
    });
  return {
    createsQueue: (settings = {}) => does('createQueue', onTheWire(settings)),
    deletesQueue: () => does('deleteQueue'),
    submit: (...asked) =>
      world.act(async () => {
        const options: SubmitOptions = Object.assign({}, ...asked.filter((one) => typeof one !== 'number'));
        for (const pr of asked.filter((one) => typeof one === 'number')) {
          world.open(pr);
          const { head, ...rest } = options;
          const present = world.repository.pulls.get(pr)?.head;
          const sha = head === 'stale' ? ANOTHER_HEAD : present;
          await ask('submitPullRequest', {
            ...rest,
            pr: { number: pr, ...(head === undefined ? {} : { sha }) },
          });
        }
      }),
    cancel: (pr) => does('cancelPullRequest', { pr: { number: pr } }),
    restart: (pr) => does('restartTestsOnPullRequest', { pr: { number: String(pr) } }),
    touches: async (pr, impactedTargets, { source, head } = {}) => {
      world.open(pr);
      const sha = head === 'another' ? ANOTHER_HEAD : world.headOf(pr);
      const upload = { pr: { number: pr, sha }, impactedTargets };
      if (source !== 'fork') return does('setImpactedTargets', upload);
      const headers = { 'x-forked-workflow-run-id': String(pr) };
      const asked = () =>
        api.post('setImpactedTargets', { ...queueRef, ...upload }, { token: null, headers });
      const { status, text } = await world.act(asked);
      if (status !== 200) throw world.error(`The list of the fork was refused: ${text}`);
    },
    pauses: (stateReason) =>
      does('updateQueue', { state: 'PAUSED', ...(stateReason === undefined ? {} : { stateReason }) }),
    resumes: () => does('updateQueue', { state: 'running' }),
    drains: () => does('updateQueue', { state: 'draining' }),
    configures: (settings) => does('updateQueue', onTheWire(settings)),
  };
};

const onTheWire = (settings: Partial<QueueSettings>): object => ({
  ...settings,
  ...(settings.requiredStatuses?.length === 0 ? { allowNoRequiredStatuses: true } : {}),
});

type OverHttp = Pick<
  Sights<Promise<void>>,
  'isIn' | 'waitsFor' | 'hasReason' | 'explains' | 'isOnAttempt' | 'queueIs' | 'warnsOf' | 'isUnknown'
>;

const sights = ({ world }: Story, api: Api, ask: Ask): OverHttp => {
  const read = (pr: number) => ask('getSubmittedPullRequest', { pr: { number: pr } });
  const expect = (what: string, wanted: unknown, found: unknown): void => {
    if (wanted !== found) throw world.error(`${what}: expected ${wanted}, found ${found}.`);
  };
  return {
    isIn: async (states) => {
      for (const [pr, state] of Object.entries(states))
        expect(`#${pr}`, state, (await read(Number(pr))).state);
    },
    waitsFor: async (pr, code) =>
      expect(`#${pr} waits for`, code, (await read(pr)).waitingFor?.code ?? 'nothing'),
    hasReason: async (pr, reason) =>
      expect(`The reason of #${pr}`, reason, (await read(pr)).reason?.code ?? null),
    explains: async (pr, sentence) => {
      const { waitingFor, reason } = await read(pr);
      const said = waitingFor?.sentence ?? `${reason?.sentence ?? ''} ${reason?.detail ?? ''}`.trim();
      if (!sentence.test(said))
        throw world.error(`#${pr}: expected an explanation that matches ${sentence}, found "${said}".`);
    },
    isOnAttempt: async (pr, attempt) => expect(`The attempt of #${pr}`, attempt, (await read(pr)).attempt),
    queueIs: async (status) => {
      const state = await ask('getQueue').then(
        (queue) => queue.state,
        () => 'gone',
      );
      expect('The queue', status, state);
    },
    warnsOf: async (check) => {
      const { warnings = [] } = await ask('getQueue');
      if (!warnings.some((warning: { checks: readonly string[] }) => warning.checks.includes(check)))
        throw world.error(`The queue does not warn of ${check}.`);
    },
    isUnknown: async (pr) => {
      const answer = await api.post('getSubmittedPullRequest', { ...queueRef, pr: { number: pr } });
      if (answer.status !== 404) throw world.error(`#${pr} was submitted to the queue.`);
    },
  };
};
