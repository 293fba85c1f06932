import {
  type CodeHost,
  type CommandHost,
  type HostCommandStore,
  HostError,
  type Instant,
  type PresenceHost,
  type PresenceStore,
  type Store,
} from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

type Side = 'store' | 'host';
type Fate = 'answered' | 'error_before' | 'error_after' | 'late_effect';

/** Calls that may take effect after their caller gave up: those that the other side can recognise as stale. */
const fenced: ReadonlySet<string> = new Set([
  'commit',
  'renew',
  'settle',
  'postpone',
  'land',
  'dropCandidate',
  'push',
]);

/** The calling process. */
interface Caller {
  readonly isUp: boolean;
  resume(come: () => void): void;
}

export interface LinkParts {
  readonly caller: Caller;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly random: Random;
  readonly weather: () => Weather;
}

/** Maximum age of a repeated answer of the host. */
export const STALE_MS = 60_000;

/** Maximum age of a state that the host shows: stale answers and lag add up. */
export const staleMsOf = ({ staleRate, lagRate }: Weather): number =>
  (staleRate > 0 ? STALE_MS : 0) + (lagRate > 0 ? STALE_MS : 0);

const LOST = 'the connection was lost';

/** Whether a call or its answer was lost. */
export const isLostCall = ({ message }: Error): boolean => message.endsWith(LOST);

/** The connection of one process to store and host: calls and answers take time and get lost. */
export class Link {
  readonly #staleness: Random;
  /** The last answer of the host to each call. */
  readonly #answered = new Map<string, { readonly at: Instant; readonly answer: unknown }>();

  constructor(private readonly parts: LinkParts) {
    this.#staleness = parts.random.fork('stale');
  }

  /** Reads from the host; sometimes returns an earlier answer, up to a minute old. */
  look<Value>(method: string, question: readonly unknown[], effect: () => Promise<Value>): Promise<Value> {
    const key = JSON.stringify([method, ...question]);
    return this.call('host', method, async () => {
      const { timeline, trace, weather } = this.parts;
      const answered = this.#answered.get(key);
      if (
        answered !== undefined &&
        timeline.now - answered.at < STALE_MS &&
        this.#staleness.chance(weather().staleRate)
      ) {
        trace.tally('fault: host stale');
        return answered.answer as Value;
      }
      const answer = await effect();
      this.#answered.set(key, { at: timeline.now, answer });
      return answer;
    });
  }

  /** Transmits a call. A call that was sent takes effect even if its sender crashes; a crashed sender gets no answer. */
  call<Value>(side: Side, method: string, effect: () => Promise<Value>): Promise<Value> {
    const { caller, timeline } = this.parts;
    if (!caller.isUp) return new Promise(() => undefined);
    const fate = this.#fate(side, method);
    const sendMs = this.#delayMs(side);
    const lateMs = fate === 'late_effect' ? this.parts.random.int(50, 90_000) : 0;
    return new Promise((resolve, reject) => {
      const back = (settle: () => void) => caller.resume(settle);
      timeline.after(sendMs, () => {
        if (fate === 'error_before') return back(() => reject(this.#lost(side, method)));
        if (fate === 'late_effect') {
          timeline.after(lateMs, () => void effect().catch(() => undefined));
          return back(() => reject(this.#lost(side, method)));
        }
        effect().then(
          (value) => back(() => (fate === 'answered' ? resolve(value) : reject(this.#lost(side, method)))),
          (error: unknown) => back(() => reject(error)),
        );
      });
    });
  }

  #fate(side: Side, method: string): Fate {
    const { random, trace } = this.parts;
    const { rates } = this.parts.weather();
    const draw = random.next();
    const before = side === 'store' ? rates.storeErrorBefore : rates.hostErrorBefore;
    const after = side === 'store' ? rates.storeErrorAfter : rates.hostErrorAfter;
    const late = side === 'store' ? rates.storeLateEffect : rates.hostLateEffect;
    const fate = fateOf(draw, [before, after, late], fenced.has(method));
    if (fate !== 'answered') trace.tally(`fault: ${side} ${fate}`);
    if (fate === 'error_after' || fate === 'late_effect') trace.tally(`unclear: ${method}`);
    return fate;
  }

  #delayMs(side: Side): number {
    const { random, trace } = this.parts;
    const { rates, storeMs, hostMs } = this.parts.weather();
    const [low, high] = side === 'store' ? storeMs : hostMs;
    if (random.chance((side === 'store' ? rates.storeSlow : rates.hostSlow) / 5)) {
      trace.tally(`fault: ${side} slow`);
      return random.int(1_000, side === 'store' ? 40_000 : 150_000);
    }
    return random.int(low, high);
  }

  #lost(side: Side, method: string): Error {
    const { random, timeline } = this.parts;
    const message = `${side} ${method}: ${LOST}`;
    if (side === 'store' || random.chance(0.5)) return new Error(message);
    const retryAt: Instant | null = random.chance(0.3) ? timeline.now + random.int(100, 10_000) : null;
    return new HostError(message, 'later', retryAt);
  }
}

const fateOf = (
  draw: number,
  [before, after, late]: readonly [number, number, number],
  isFenced: boolean,
): Fate => {
  if (draw < before / 2) return 'error_before';
  if (draw < before / 2 + after / 2) return 'error_after';
  return isFenced && draw > 1 - late / 2 ? 'late_effect' : 'answered';
};

/** The store over the link of one process. */
export const remoteStore = (
  link: Link,
  store: Store,
  wakes: (listener: () => void) => () => void,
): Store => ({
  createQueue: (...args) => link.call('store', 'createQueue', () => store.createQueue(...args)),
  queues: (...args) => link.call('store', 'queues', () => store.queues(...args)),
  queueVersions: (...args) => link.call('store', 'queueVersions', () => store.queueVersions(...args)),
  load: (...args) => link.call('store', 'load', () => store.load(...args)),
  commit: (...args) => link.call('store', 'commit', () => store.commit(...args)),
  push: (...args) => link.call('store', 'push', () => store.push(...args)),
  lease: (...args) => link.call('store', 'lease', () => store.lease(...args)),
  settle: (...args) => link.call('store', 'settle', () => store.settle(...args)),
  renew: (...args) => link.call('store', 'renew', () => store.renew(...args)),
  postpone: (...args) => link.call('store', 'postpone', () => store.postpone(...args)),
  due: (...args) => link.call('store', 'due', () => store.due(...args)),
  nextDueAt: () => link.call('store', 'nextDueAt', () => store.nextDueAt()),
  now: () => link.call('store', 'now', () => store.now()),
  answers: (...args) => link.call('store', 'answers', () => store.answers(...args)),
  submissions: (...args) => link.call('store', 'submissions', () => store.submissions(...args)),
  run: (...args) => link.call('store', 'run', () => store.run(...args)),
  verdicts: (...args) => link.call('store', 'verdicts', () => store.verdicts(...args)),
  shedTargets: (...args) => link.call('store', 'shedTargets', () => store.shedTargets(...args)),
  heldTargetBytes: (...args) => link.call('store', 'heldTargetBytes', () => store.heldTargetBytes(...args)),
  history: (...args) => link.call('store', 'history', () => store.history(...args)),
  receipts: (...args) => link.call('store', 'receipts', () => store.receipts(...args)),
  onWake: wakes,
  close: () => Promise.resolve(),
});

type Events = Required<CodeHost>['onEvent'];

/** The code host over the link of one process. */
export const remoteHost = (link: Link, host: Required<CodeHost>, events: Events): CodeHost => ({
  hasRepository: (...args) => link.call('host', 'hasRepository', () => host.hasRepository(...args)),
  getBranch: (...args) => link.look('getBranch', args, () => host.getBranch(...args)),
  contains: (...args) => link.look('contains', args, () => host.contains(...args)),
  getPullRequests: (...args) => link.look('getPullRequests', args, () => host.getPullRequests(...args)),
  findPullRequest: (...args) => link.call('host', 'findPullRequest', () => host.findPullRequest(...args)),
  buildCandidate: (...args) => link.call('host', 'buildCandidate', () => host.buildCandidate(...args)),
  startChecks: (...args) => link.call('host', 'startChecks', () => host.startChecks(...args)),
  cancelChecks: (...args) => link.call('host', 'cancelChecks', () => host.cancelChecks(...args)),
  getChecks: (...args) => link.look('getChecks', args, () => host.getChecks(...args)),
  land: (...args) => link.call('host', 'land', () => host.land(...args)),
  dropCandidate: (...args) => link.call('host', 'dropCandidate', () => host.dropCandidate(...args)),
  listCandidates: (...args) => link.call('host', 'listCandidates', () => host.listCandidates(...args)),
  onEvent: events,
  presence: remotePresence(link, host.presence),
  commands: remoteCommands(link, host.commands),
});

/** The store of commands as a process reaches it. */
export const remoteCommandStore = (link: Link, store: HostCommandStore): HostCommandStore =>
  new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'close') return method;
      return (...args: readonly unknown[]): Promise<unknown> =>
        link.call('store', String(name), async () => Reflect.apply(method, target, args));
    },
  });

const remoteCommands = (link: Link, host: CommandHost): CommandHost => ({
  ownAccount: (...args) => link.call('host', 'ownAccount', () => host.ownAccount(...args)),
  createComment: (...args) => link.call('host', 'createComment', () => host.createComment(...args)),
  commentsSince: (...args) => link.call('host', 'commentsSince', () => host.commentsSince(...args)),
  labelEventsSince: (...args) => link.call('host', 'labelEventsSince', () => host.labelEventsSince(...args)),
  permissionOf: (...args) => link.call('host', 'permissionOf', () => host.permissionOf(...args)),
  originOf: (...args) => link.call('host', 'originOf', () => host.originOf(...args)),
  react: (...args) => link.call('host', 'react', () => host.react(...args)),
});

export const remotePresenceStore = (link: Link, store: PresenceStore): PresenceStore => ({
  now: () => link.call('store', 'now', () => store.now()),
  begin: (...args) => link.call('store', 'begin', () => store.begin(...args)),
  advance: (...args) => link.call('store', 'advance', () => store.advance(...args)),
  open: (...args) => link.call('store', 'open', () => store.open(...args)),
  find: (...args) => link.call('store', 'find', () => store.find(...args)),
  replace: (...args) => link.call('store', 'replace', () => store.replace(...args)),
  budget: (...args) => link.call('store', 'budget', () => store.budget(...args)),
  replaceBudget: (...args) => link.call('store', 'replaceBudget', () => store.replaceBudget(...args)),
  prune: (...args) => link.call('store', 'prune', () => store.prune(...args)),
  close: () => Promise.resolve(),
});

const remotePresence = (link: Link, host: PresenceHost): PresenceHost => ({
  installationOf: (repo) => host.installationOf(repo),
  ownAccount: (...args) => link.call('host', 'ownAccount', () => host.ownAccount(...args)),
  listComments: (...args) => link.call('host', 'listComments', () => host.listComments(...args)),
  getComment: (...args) => link.call('host', 'getComment', () => host.getComment(...args)),
  createComment: (...args) => link.call('host', 'createComment', () => host.createComment(...args)),
  editComment: (...args) => link.call('host', 'editComment', () => host.editComment(...args)),
  removeComment: (...args) => link.call('host', 'removeComment', () => host.removeComment(...args)),
  getStatus: (...args) => link.call('host', 'getStatus', () => host.getStatus(...args)),
  setStatus: (...args) => link.call('host', 'setStatus', () => host.setStatus(...args)),
  getLabels: (...args) => link.call('host', 'getLabels', () => host.getLabels(...args)),
  changeLabels: (...args) => link.call('host', 'changeLabels', () => host.changeLabels(...args)),
});
