import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePlace, type Place } from '@mq/test-git';
import { type HttpProxy, type OwnForge, proxyTo, startForge, TEAM } from '@mq/test-gitea';
import { startPostgres } from '@mq/test-postgres';
import { freshDatabase } from '../fresh-database.js';
import { callsTo, type ReplicaCalls } from '../replica-calls.js';
import { Replica } from '../soak/replica.js';

const TOKEN = 'the-token-of-the-kills';
const PACE = { pollBranchMs: 2_000, pollPullRequestsMs: 2_000, pollChecksMs: 1_000, retryDelayMs: 500 };

/** One server with its own database in its folder, or two on one PostgreSQL. */
export type Servers = 'one' | 'two';

/** A Gitea, a proxy before it, and servers of the queue that are started again whenever they end. */
export interface KillsWorld {
  readonly forge: OwnForge;
  readonly way: HttpProxy;
  readonly place: Place;
  readonly replicas: readonly Replica[];
  readonly calls: ReplicaCalls;
  /** Ends of a server that nothing killed. */
  readonly faults: readonly string[];
  end(): Promise<void>;
}

export const killsWorld = async (name: string, servers: Servers): Promise<KillsWorld> => {
  const [forge, place, postgres, folder] = await Promise.all([
    startForge(),
    makePlace(),
    servers === 'two' ? startPostgres() : null,
    mkdtemp(join(tmpdir(), 'mq-kills-')),
  ]);
  await forge.repository(name);
  const way = await proxyTo(forge.gitea.url);
  const tokenFile = join(forge.gitea.folder, 'admin-token');
  const hosts = [{ name: 'forge', type: 'gitea', url: way.url, owners: [TEAM], tokenFile }];
  await writeFile(join(folder, 'mq.config.json'), JSON.stringify({ hosts, pace: PACE }));
  const database: Readonly<Record<string, string>> =
    postgres === null ? {} : { DATABASE_URL: (await freshDatabase(postgres.url)).href };
  const env = { MQ_DATA: folder, MQ_TOKEN: TOKEN, PORT: '0', MQ_LOG_LEVEL: 'warn', ...database };
  const faults: string[] = [];
  const fault = (replica: string, how: string) => void faults.push(`${replica}: ${how}`);
  const events = { ended: fault, refused: fault, gaveUp: fault };
  const replicas = (servers === 'two' ? ['one', 'two'] : ['one']).map(
    (each) => new Replica(each, env, events),
  );
  for (const replica of replicas) replica.run();
  const queue = { repo: { host: 'forge', owner: TEAM, name }, targetBranch: 'main' };
  return {
    ...{ forge, way, place, replicas, faults, calls: callsTo(replicas, TOKEN, queue) },
    end: async () => {
      await Promise.all(replicas.map((replica) => replica.close()));
      await way.close();
      await Promise.all([forge.end(), place.end(), postgres?.stop()]);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
