import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACE_PREFIX } from './check-user.js';
import { isAlive, markOf, type Owners, ownerMark, processMark } from './owner.js';
import { killGroup } from './process.js';

const PREFIX = 'mq-ci-';
const PRIVATE = { mode: 0o600 };
const ENTERABLE = 0o711;

/** The temporary folders of one host object. Also removes the folders of dead owners and kills what still runs there. */
export class CheckFolders {
  #folder: Promise<string> | null = null;

  constructor(
    private readonly owners: Owners,
    private readonly parent: string = tmpdir(),
    /** True if checks run as another user, who may then enter the folders but not list them. */
    private readonly isEntered = false,
  ) {}

  async make(): Promise<string> {
    this.#folder ??= this.#begin().catch((error: unknown) => {
      this.#folder = null;
      throw error;
    });
    return this.#enterable(await mkdtemp(join(await this.#folder, PLACE_PREFIX)));
  }

  /** Stores the leader of a process group, so that a later process can kill it if this one dies first. */
  async note(folder: string, pid: number): Promise<void> {
    const mark = await markOf(pid);
    if (mark !== null) await writeFile(join(folder, 'process.json'), JSON.stringify(mark), PRIVATE);
  }

  async remove(folder: string): Promise<void> {
    // A test may have removed the write permission of its folders. Then the sweep of a later start retries.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#folder !== null) await this.remove(await this.#folder.catch(() => ''));
    this.#folder = null;
  }

  async #begin(): Promise<string> {
    await mkdir(this.parent, { recursive: true });
    await this.sweep();
    const folder = await mkdtemp(join(this.parent, PREFIX));
    await writeFile(join(folder, 'owner.json'), JSON.stringify(await this.owners.self()), PRIVATE);
    return this.#enterable(folder);
  }

  async #enterable(folder: string): Promise<string> {
    if (this.isEntered) await chmod(folder, ENTERABLE);
    return folder;
  }

  /** Kills what runs in the folders of dead owners, and removes these folders. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.parent).catch(() => [])) {
      if (!name.startsWith(PREFIX)) continue;
      const folder = join(this.parent, name);
      // The parent may be writable by everyone, so folders of other users are not trusted.
      const info = await stat(folder).catch(() => null);
      if (info === null || info.uid !== process.getuid?.()) continue;
      const owner = ownerMark.safeParse(await readJson(join(folder, 'owner.json')));
      if (!owner.success || (await this.owners.isAlive(owner.data)) !== false) continue;
      const places = await readdir(folder).catch(() => []);
      await Promise.all(places.map((name) => endOrphan(join(folder, name))));
      await this.remove(folder);
    }
  }
}

const endOrphan = async (folder: string): Promise<void> => {
  const mark = processMark.safeParse(await readJson(join(folder, 'process.json')));
  if (mark.success && (await isAlive(mark.data)) === true) await killGroup(mark.data.pid, 1_000);
};

const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
};
