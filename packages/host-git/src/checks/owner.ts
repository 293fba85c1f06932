import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Identifies a process. The start time and the boot id distinguish it from a later process with the same pid. */
export const processMark = z.object({
  machine: z.string().max(300),
  pid: z.number().int().positive(),
  began: z.string().max(200),
});
export type ProcessMark = Readonly<z.infer<typeof processMark>>;

export const ownerMark = processMark.extend({ id: z.string().max(100) });
/** Identifies one host object of one process. */
export type OwnerMark = Readonly<z.infer<typeof ownerMark>>;

/** The host objects of this process that have not been closed. */
const open = new Set<string>();

/** Null if the process does not exist (any more). */
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
    // The second field is the program's name in parentheses and may contain any character; the start time is the 22nd.
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

/** True if the process is alive; null if it is on another machine. */
export const isAlive = async (mark: ProcessMark): Promise<boolean | null> => {
  if (mark.machine !== hostname()) return null;
  return (await markOf(mark.pid))?.began === mark.began;
};

/** Gives the identity of this host object, and checks whether other owners are alive. */
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
