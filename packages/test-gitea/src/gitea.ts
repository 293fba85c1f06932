import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildGitea, giteaClient, startGitea } from './server.js';

/** `npm run gitea`: a Gitea to try the queue with. It keeps what it holds between starts. */
const PORT = 3333;
const PEOPLE = ['ada', 'grace'];
const PASSWORD = 'try-the-queue-1';

/** The exit code if this machine cannot build Gitea; scripts/stages.mjs knows it too. */
const CANNOT_BUILD = 3;

const say = (line: string): void => console.log(line);

const missing = await buildGitea(say);
if (missing !== null) {
  console.error(`No Gitea here: ${missing}`);
  process.exitCode = CANNOT_BUILD;
} else if (!process.argv.includes('--build')) {
  const home = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = process.env.MQ_GITEA ?? join(home, 'mq', 'gitea-data');
  await mkdir(folder, { recursive: true });
  const gitea = await startGitea({ folder, port: Number(process.env.PORT ?? PORT) });
  const api = giteaClient(gitea);
  for (const username of PEOPLE)
    await api(
      'POST',
      '/admin/users',
      { username, email: `${username}@example.org`, password: PASSWORD, must_change_password: false },
      { statuses: [422] },
    );
  await api('POST', '/orgs', { username: 'team' }, { statuses: [422] });
  const made = await api(
    'POST',
    '/orgs/team/repos',
    { name: 'app', default_branch: 'main', auto_init: true },
    { statuses: [409] },
  );
  if (made.id !== undefined) await api('PATCH', '/repos/team/app', { allow_manual_merge: true });
  say(`Gitea answers at ${gitea.url}, until you press Ctrl+C.

  repository   ${gitea.url}/team/app.git
  people       ${PEOPLE.join(', ')} (password ${PASSWORD})
  token        ${join(folder, 'admin-token')} (of the administrator mq-admin)

docs/how-to/gitea.md says how the queue is connected to it.`);
  const end = (): void => void gitea.stop().then(() => process.exit(0));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}
