import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { ref, repo } from '../../test/queue-on.js';
import type { CodeHost } from '../ports/code-host.js';
import type { QueueChange } from '../validation/requests.js';
import { createMergeQueue } from './create-merge-queue.js';

const bare: Partial<Record<keyof CodeHost, undefined>> = {
  presence: undefined,
  commands: undefined,
  openDraft: undefined,
};

/** Creates a queue, at a host that lacks these parts of the port. */
const anEngine = async (lacks: Partial<Record<keyof CodeHost, undefined>>) => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo });
  const served = Object.assign(Object.create(host) as CodeHost, lacks);
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: served }, clock });
  const created = await mq.createQueue(ref);
  expect(created.warnings).toEqual([]);
  const warned = async (change: QueueChange) =>
    (await mq.updateQueue({ ...ref, ...change })).warnings.map(({ code, sentence }) => [code, sentence]);
  return { mq, warned };
};

const settings: readonly (readonly [QueueChange, QueueChange, keyof CodeHost, string])[] = [
  [{ commentsEnabled: true }, { commentsEnabled: false }, 'presence', 'presence'],
  [{ statusCheckEnabled: true }, { statusCheckEnabled: false }, 'presence', 'presence'],
  [{ stateLabelsEnabled: true }, { stateLabelsEnabled: false }, 'presence', 'presence'],
  [{ commandsEnabled: true }, { commandsEnabled: false }, 'commands', 'commands'],
  [{ labelCommandsEnabled: true }, { labelCommandsEnabled: false }, 'commands', 'commands'],
  [{ enqueueingLabel: 'go' }, { concurrency: 2 }, 'commands', 'commands'],
  [{ allowedBotSubmitters: ['robot'] }, { allowedBotSubmitters: [] }, 'commands', 'commands'],
  [{ createPrsForTestingBranches: true }, { createPrsForTestingBranches: false }, 'openDraft', 'drafts'],
];

test.each(settings)(
  'the setting %j causes a warning if the host does not offer it, and %j does not',
  async (on, off, part, capability) => {
    const { warned } = await anEngine({ [part]: undefined });
    const [name] = Object.keys(on);
    expect(await warned(off)).toEqual([]);
    expect(await warned(on)).toEqual([
      [
        'SETTING_WITHOUT_EFFECT',
        `${name} is stored and will have no effect: the code host ${repo.host} does not offer ${capability}. Its capabilities are in the reference of code hosts.`,
      ],
    ]);
    // Written back as it was read.
    expect(await warned({ ...on, concurrency: 3 })).toEqual([]);
    const { warned: offered } = await anEngine({});
    expect(await offered(on)).toEqual([]);
  },
);

test('settings that have no effect are warned of in one sentence, also when the queue is created with them', async () => {
  const { mq, warned } = await anEngine(bare);
  const all = Object.assign({}, ...settings.map(([on]) => on));
  await warned(Object.assign({}, ...settings.map(([, off]) => off)));
  const [[code, sentence] = []] = await warned(all);
  expect(code).toBe('SETTING_WITHOUT_EFFECT');
  expect(sentence).toMatch(
    /^commentsEnabled, statusCheckEnabled, .* are stored .* offer presence, commands, drafts\./,
  );
  await mq.deleteQueue(ref);
  const created = await mq.createQueue({ ...ref, ...all });
  expect(created.warnings.map((warning) => warning.code)).toEqual(['SETTING_WITHOUT_EFFECT']);
});
