import type { Client } from '@mq/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { startLive } from '../data/live.js';
import { openPublicly } from '../data/public-session.js';
import type { QueueRef } from '../data/queue-view.js';
import { path } from '../data/router.js';
import { resumeSession, session, type TokenRights } from '../data/session.js';
import { useStore } from '../data/store.js';
import { pullPath, queuePath, type Route, routeOf } from '../model/route.js';
import { HistoryPage } from './history.js';
import { Empty } from './parts.js';
import { PublicPullPage } from './public-pull.js';
import { PullPage } from './pull.js';
import { QueuePage } from './queue.js';
import { QueuesPage } from './queues.js';
import { SettingsPage } from './settings.js';
import { type Crumb, Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { Unresolved } from './unresolved.js';

const RETRY_MS = 3_000;

export const App = () => {
  const current = useStore(session);
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    let timer = 0;
    const resume = (): void => {
      resumeSession().then(
        () => setAway(false),
        () => {
          setAway(true);
          timer = window.setTimeout(resume, RETRY_MS);
        },
      );
    };
    resume();
    return () => clearTimeout(timer);
  }, []);
  if (current.status === 'starting')
    return isAway ? (
      <main>
        <Empty title="The server does not answer.">
          <p>The page tries again every few seconds.</p>
        </Empty>
      </main>
    ) : null;
  if (current.status === 'out') return <SignedOut message={current.message} />;
  return <SignedIn key={current.rights.tokenId} {...current} />;
};

/** Without a token, shows a queue that is open to everyone; otherwise asks for a token. */
const SignedOut = ({ message }: { readonly message: string | null }) => {
  const below = useStore(path);
  const [isClosed, setClosed] = useState(false);
  useEffect(() => {
    const route = routeOf(below);
    setClosed(false);
    if (message !== null || route.view === 'queues' || route.view === 'unresolved') return setClosed(true);
    openPublicly(route.ref).then(
      (isOpen) => setClosed(!isOpen),
      () => setClosed(true),
    );
  }, [below, message]);
  return isClosed ? <SignIn message={message} /> : null;
};

interface SignedInProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly only: QueueRef | null;
}

const SignedIn = ({ client, rights, only }: SignedInProps) => {
  const below = useStore(path);
  const route = useMemo(() => routeOf(below), [below]);
  useEffect(() => startLive(client, rights.tokenId, only), [client, rights.tokenId, only]);
  const { title, crumbs } = placeOf(route);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <Shell crumbs={crumbs} rights={rights} isPublic={only !== null}>
      <View client={client} rights={rights} route={route} isPublic={only !== null} />
    </Shell>
  );
};

interface ViewProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly route: Route;
  readonly isPublic?: boolean;
}

const View = ({ client, rights, route, isPublic = false }: ViewProps) => {
  switch (route.view) {
    case 'queues':
      return <QueuesPage client={client} />;
    case 'pull':
      if (isPublic) return <PublicPullPage client={client} reference={route.ref} pr={route.pr} />;
      return <PullPage client={client} rights={rights} reference={route.ref} pr={route.pr} />;
    case 'queue':
      if (route.part === 'settings')
        return <SettingsPage client={client} rights={rights} reference={route.ref} />;
      if (route.part === 'history') return <HistoryPage client={client} reference={route.ref} />;
      return <QueuePage client={client} rights={rights} reference={route.ref} />;
    case 'unresolved':
      return <Unresolved client={client} />;
  }
};

const placeOf = (route: Route): { readonly title: string; readonly crumbs: readonly Crumb[] } => {
  if (route.view === 'queues') return { title: 'Queues · mq', crumbs: [] };
  if (route.view === 'unresolved') return { title: 'mq', crumbs: [] };
  const { repo, targetBranch } = route.ref;
  const name = `${repo.owner}/${repo.name} ${targetBranch}`;
  const queue = { text: name, to: queuePath(route.ref) };
  if (route.view === 'pull')
    return {
      title: `#${route.pr} · ${name}`,
      crumbs: [queue, { text: `#${route.pr}`, to: pullPath(route.ref, route.pr) }],
    };
  return { title: `${name} · mq`, crumbs: [queue] };
};
