import { type Environment, type Program, startProgram } from '../program.js';

const RESTART_AFTER_MS = 500;
const STARTS_LIMIT = 60;

/** Events of a replica while it runs. */
export interface ReplicaEvents {
  /** It ended without a kill after it had served; or it was asked to end, and ended with another code. */
  ended(name: string, how: string): void;
  /** It could not start; it is started again. */
  refused(name: string, why: string): void;
  /** It was started again and again, and never served. */
  gaveUp(name: string, why: string): void;
}

/** A server that is started again whenever it ends, as a supervisor would, until it is closed. */
export class Replica {
  #program: Program | null = null;
  #servesAt: { readonly url: string; readonly since: number } | null = null;
  #killed = false;
  #closed = false;
  #stopped = false;
  #asked = false;
  #life: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly env: Environment,
    private readonly events: ReplicaEvents,
  ) {}

  /** Where it answers; null while it does not serve. */
  get url(): string | null {
    return this.#servesAt?.url ?? null;
  }

  /** Whether it stands still by a SIGSTOP. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Its process, and since when it serves; null while it does not. */
  get process(): { readonly pid: number; readonly since: number } | null {
    const pid = this.#program?.child.pid;
    return pid === undefined || this.#servesAt === null ? null : { pid, since: this.#servesAt.since };
  }

  /** Starts it, and keeps it running. */
  run(): void {
    this.#life = this.#supervise();
  }

  /** Ends its process by SIGKILL, whatever it is doing. False if none is there. */
  kill(): boolean {
    if (this.#program === null || this.#killed) return false;
    this.#killed = true;
    this.#stopped = false;
    this.#program.child.kill('SIGKILL');
    return true;
  }

  /** Asks it to end in an orderly way, as for a new release. False if none serves. */
  end(): boolean {
    if (this.#program === null || this.#servesAt === null || this.#asked || this.#killed || this.#stopped)
      return false;
    this.#asked = this.#program.child.kill('SIGTERM');
    return this.#asked;
  }

  /** False if there is nothing that could stand still. */
  stop(): boolean {
    if (this.#program === null || this.#stopped || this.#killed || this.#asked) return false;
    this.#stopped = this.#program.child.kill('SIGSTOP');
    return this.#stopped;
  }

  goOn(): void {
    if (this.#stopped) this.#program?.child.kill('SIGCONT');
    this.#stopped = false;
  }

  /** Ends it for good, in an orderly way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.goOn();
    this.#program?.child.kill('SIGTERM');
    await this.#life;
  }

  async #supervise(): Promise<void> {
    for (let failures = 0; !this.#closed && failures < STARTS_LIMIT; ) {
      const hasServed = await this.#live();
      failures = hasServed || this.#killed ? 0 : failures + 1;
      if (failures === STARTS_LIMIT) this.events.gaveUp(this.name, `it was started ${failures} times`);
      await new Promise((resolve) => setTimeout(resolve, this.#closed ? 0 : RESTART_AFTER_MS));
    }
  }

  /** One process from its start to its end. True if it came to serve. */
  async #live(): Promise<boolean> {
    this.#killed = false;
    this.#asked = false;
    const program = startProgram('main', this.env);
    this.#program = program;
    await program
      .prints('running at')
      .then(() => {
        const url = /running at (\S+)/.exec(program.stdout())?.[1] ?? '';
        this.#servesAt = { url, since: Date.now() };
      })
      .catch(() => undefined);
    const hasServed = this.#servesAt !== null;
    const { code, signal } = await program.ended;
    this.#program = null;
    this.#servesAt = null;
    this.#stopped = false;
    if (this.#killed || this.#closed || (this.#asked && code === 0)) return hasServed;
    const how = `it ended with ${signal ?? code}: ${program.stderr().slice(-2_000)}`;
    if (hasServed) this.events.ended(this.name, how);
    else this.events.refused(this.name, how);
    return hasServed;
  }
}
