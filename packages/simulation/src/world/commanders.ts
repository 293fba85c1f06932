import {
  commandIn,
  defaultCommandPrefixes,
  type HostAccount,
  type HostComment,
  type InboundEvent,
  type LabelEvent,
  type Permission,
} from '@mq/core';
import type { Random } from '@mq/random';
import { type FakeRepository, personNamed, QUEUE_ACCOUNT } from '@mq/testkit';
import type { HostCommandOracle } from '../oracle/host-commands.js';
import type { Process } from './process.js';
import { repo } from './surroundings.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface CommandersParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly random: Random;
  readonly repository: FakeRepository;
  readonly oracle: HostCommandOracle;
  readonly label: string;
  readonly processes: () => readonly Process[];
}

const roles = {
  stranger: 'none',
  reader: 'read',
  writer: 'write',
  maintainer: 'maintain',
  root: 'admin',
} as const satisfies Record<string, Permission>;

const texts = [
  ...['/mq merge', '/mq merge', '/mq merge', '/mq merge --no-batch', '/mq merge --priority=low'],
  ...['/mq merge --priority=urgent', '/mq merge --force', '/mq merge 0123456789', '/trunk merge'],
  ...['/mq cancel', '/mq cancel', '/mq restart', '/mq why', '/mq', '/mq land', 'No command.'],
  ...['> /mq merge', '```\n/mq cancel\n```', '/mq merge\n/mq cancel'],
] as const;

const ACTS = 30;
/** The longest delay of an event. With more than 15 min it comes too late for its command. */
const LATE_MS = 20 * 60_000;

/** People that command the queue at pull requests. Their events are lost, repeated and late. */
export class Commanders {
  constructor(private readonly parts: CommandersParts) {}

  begin(until: number): void {
    const { timeline, random, repository } = this.parts;
    for (const [name, role] of Object.entries(roles)) repository.timeline.setRole(personNamed(name), role);
    repository.timeline.setRole(QUEUE_ACCOUNT, 'admin');
    for (let act = 0; act < ACTS; act += 1)
      timeline.after(random.int(1_000, until - timeline.now), () => this.#act());
  }

  #act(): void {
    const { random, repository } = this.parts;
    const prs = [...repository.pulls.keys()];
    if (prs.length === 0) return;
    const pr = random.pick(prs);
    if (random.chance(0.3)) this.#label(pr);
    else this.#comment(pr);
  }

  #comment(pr: number): void {
    const { random, repository, trace, oracle } = this.parts;
    const person = this.#person();
    const body = random.pick(texts);
    const written = repository.discussion.comment(pr, body, person);
    const isEdited = random.chance(0.15);
    const comment = isEdited ? repository.discussion.edit(pr, written.id, random.pick(texts)) : written;
    trace.tally(`command: ${isEdited ? 'edited ' : ''}comment`);
    oracle.gave({
      ...{ key: `comment ${comment.id}`, pr, person, role: repository.timeline.roleOf(person) },
      request: isEdited || person.id === QUEUE_ACCOUNT.id ? null : commandIn(body, defaultCommandPrefixes),
      writtenAt: comment.createdAt,
    });
    this.#deliver({ repo, what: 'comment', pr, comment });
    if (!isEdited && random.chance(0.2)) this.#editLater(pr, comment);
  }

  /** An edit of an old comment: its new text never counts. */
  #editLater(pr: number, { id }: HostComment): void {
    const { timeline, random, repository, trace } = this.parts;
    timeline.after(random.int(1, 60_000), () => {
      if (!repository.pulls.has(pr)) return;
      trace.tally('command: comment edited later');
      const comment = repository.discussion.edit(pr, id, random.pick(texts));
      this.#deliver({ repo, what: 'comment', pr, comment });
    });
  }

  #label(pr: number): void {
    const { random, repository, label: wanted } = this.parts;
    const before = repository.pulls.get(pr)?.labels ?? [];
    const label = random.chance(0.8) ? wanted : 'documentation';
    const labels = before.includes(label) ? before.filter((one) => one !== label) : [...before, label];
    const count = repository.timeline.labelEvents.length;
    repository.edit(pr, { labels }, this.#person());
    for (const event of repository.timeline.labelEvents.slice(count)) this.#labelled(event);
  }

  #labelled(event: LabelEvent): void {
    const { repository, oracle, label, trace } = this.parts;
    const { pr, actor: person, at, id, change } = event;
    trace.tally(`command: label ${change}`);
    const merge = { kind: 'merge', head: null, priority: null, noBatch: false, force: false } as const;
    const meant = change === 'added' ? merge : ({ kind: 'cancel' } as const);
    oracle.gave({
      ...{ key: `label ${id}`, pr, person, role: repository.timeline.roleOf(person) },
      request: event.label === label && person.id !== QUEUE_ACCOUNT.id ? meant : null,
      writtenAt: at,
    });
    this.#deliver({ repo, what: 'label', label: event });
  }

  /** Never, once, several times, or late; always to a process that happens to be up. */
  #deliver(event: InboundEvent): void {
    const { timeline, random } = this.parts;
    const times = random.pick([0, 1, 1, 1, 2, 3]);
    for (let n = 0; n < times; n += 1)
      timeline.after(random.chance(0.8) ? random.int(1, 2_000) : random.int(1, LATE_MS), () =>
        this.#hand(event),
      );
  }

  #hand(event: InboundEvent): void {
    const { processes, random, trace } = this.parts;
    const up = processes();
    if (up.length === 0) return;
    const process = random.pick(up);
    process.resume(() => {
      process.mq.notice(event).catch(() => trace.tally('command: event not stored'));
    });
  }

  #person(): HostAccount {
    const { random } = this.parts;
    const names = Object.keys(roles);
    return random.weighted({ person: 18, robot: 1, queue: 1 }) === 'person'
      ? personNamed(random.pick([...names, 'writer', 'writer', 'maintainer']))
      : random.pick([{ id: 'bot-1', name: 'other-robot', isBot: true }, QUEUE_ACCOUNT]);
  }
}
