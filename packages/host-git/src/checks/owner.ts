import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Identifies a process, also against a later one with the same id: its start time, and the boot of the machine. */
export const processMark = z.object({
  machine: z.string().max(300),
  pid: z.number().int().positive(),
  began: z.string().max(200),
});
export type ProcessMark = Readonly<z.infer<typeof processMark>>;

export const ownerMark = processMark.extend({ id: z.string().max(100) });
/** One host object in one process. */
export type OwnerMark = Readonly<z.infer<typeof ownerMark>>;

/** The host objects of this process that have not been closed. */
const open = new Set<string>();

/** Null where there is no such process (any more). */
export const markOf = async (pid: number): Promise<ProcessMark | null> => {
  const began = process.platform === 'linux' ? await beganOnLinux(pid) : await beganByPs(pid);
  return began === null ? null : { machine: hostname(), pid, began };
};

const beganOnLinux = async (pid: number): Promise<string | null> => {
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // The second field is the program's name in brackets and may hold anything; the start is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : `${boot.trim()} ${fields[19]}`;
  } catch {
    return null;
  }
};

const beganByPs = async (pid: number): Promise<string | null> => {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || null;
  } catch {
    return null;
  }
};

/** Null where the process is on another machine, about which nothing can be said. */
export const isAlive = async (mark: ProcessMark): Promise<boolean | null> => {
  if (mark.machine !== hostname()) return null;
  return (await markOf(mark.pid))?.began === mark.began;
};

/** The identity of this host object, and whether other owners are alive. */
export class Owners {
  readonly #id = randomUUID();
  #self: Promise<OwnerMark> | null = null;

  constructor() {
    open.add(this.#id);
  }

  self(): Promise<OwnerMark> {
    this.#self ??= markOf(process.pid).then((mark) => ({
      ...(mark ?? { machine: hostname(), pid: process.pid, began: 'unknown' }),
      id: this.#id,
    }));
    return this.#self;
  }

  /** Null if it cannot be known on this machine. */
  async isAlive(owner: OwnerMark): Promise<boolean | null> {
    const self = await this.self();
    const isThisProcess =
      owner.machine === self.machine && owner.pid === self.pid && owner.began === self.began;
    return isThisProcess ? open.has(owner.id) : isAlive(owner);
  }

  close(): void {
    open.delete(this.#id);
  }
}
