// Several code hosts in one engine: each is a failure domain of its own.
import { createMergeQueue, HostError } from '@mq/core';
import { memoryHostCommandStore, memoryPresenceStore, memoryStore } from '@mq/store-memory';
import { fakeHost, type Intercept, personNamed, virtualClock } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';

const ada = personNamed('ada');
const HEALED_WITHIN_MS = 120_000;
const STEP_MS = 500;
/** Turns of the event loop after each step, in which what it has caused is carried out. */
const TURNS = 30;

const world = () => {
  const clock = virtualClock();
  let trouble: Intercept | null = null;
  const intercept: Intercept = (call, act) => (trouble === null ? act() : trouble(call, act));
  const ci = { mode: 'automatic', durationMs: 1_000 } as const;
  const hosts = { ill: fakeHost({ clock, ci, intercept }), well: fakeHost({ clock, ci }) };
  const mq = createMergeQueue({
    ...{ store: memoryStore({ clock }), hosts, clock },
    commands: { store: memoryHostCommandStore({ clock }) },
    presence: { store: memoryPresenceStore({ clock }) },
    pace: { pollChecksMs: 1_000 },
  });
  const at = (name: keyof typeof hosts) => {
    const repo = { host: name, owner: 'acme', name: 'widgets' };
    const repository = hosts[name].createRepository({ ref: repo });
    for (const number of [1, 2]) repository.openPullRequest({ number });
    repository.timeline.setRole(ada, 'write');
    const on = { repo, targetBranch: 'main' };
    const stateOf = async (pr: number) =>
      (await mq.getSubmission({ ...on, pr }).catch(() => null))?.submission.state ?? null;
    return { repo, repository, on, stateOf };
  };
  const [ill, well] = [at('ill'), at('well')];
  mq.start();
  /** Not by `settled`: that would wait for a host that never answers. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await clock.advance(STEP_MS);
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const falls = (into: Intercept | null) => {
    trouble = into;
    for (const release of held.splice(0)) release();
  };
  onTestFinished(async () => {
    falls(null);
    await mq.close();
  });
  return { mq, clock, ill, well, pass, falls };
};

/** Calls of a host that answers nothing, until it is well. */
const held: (() => void)[] = [];
const silence: Intercept = (_call, act) => new Promise<void>((resolve) => held.push(resolve)).then(act);

const fails =
  (make: () => HostError): Intercept =>
  () =>
    Promise.reject(make());

const troubles: Readonly<Record<string, (now: () => number) => Intercept>> = {
  'a host that is down stops no other': () => fails(() => new HostError('connection refused', 'later')),
  'a host that never answers stops no other': () => silence,
  'a host that refuses the token stops no other': () =>
    fails(() => new HostError('401', 'never', null, { reach: 'access' })),
  'a host that limits the calls stops no other': (now) =>
    fails(() => new HostError('429', 'later', now() + 30_000)),
};

test.each(Object.keys(troubles))(
  '%s: there a comment submits, a pull request lands, and people see it; at the failing one everything continues once it works again',
  async (name) => {
    const { mq, clock, ill, well, pass, falls } = world();
    for (const { on } of [ill, well]) await mq.createQueue(on);
    await mq.submit({ ...ill.on, pr: 1 });
    falls(troubles[name]!(() => clock.now()));
    await pass(2_000);

    const comment = well.repository.discussion.comment(1, '/mq merge', ada);
    await mq.notice({ repo: well.repo, what: 'comment', pr: 1, comment });
    await mq.submit({ ...well.on, pr: 2 });
    await pass(20_000);
    expect([await well.stateOf(1), await well.stateOf(2)]).toEqual(['merged', 'merged']);
    const said = well.repository.discussion.of(1).map(({ body }) => body);
    expect(said).toEqual([expect.stringMatching(/#1 was merged/), '/mq merge'].reverse());
    expect(['merged', 'failed', 'cancelled']).not.toContain(await ill.stateOf(1));

    falls(null);
    await pass(HEALED_WITHIN_MS);
    expect(await ill.stateOf(1)).toBe('merged');
  },
);
