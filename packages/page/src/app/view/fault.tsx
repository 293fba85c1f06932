import type { MqError } from '@mq/client';
import { session } from '../data/session.js';
import { useStore } from '../data/store.js';
import { Empty } from './parts.js';
import { Unresolved } from './unresolved.js';

/** What is shown in place of a view that could not be read. */
export const Fault = ({ error }: { readonly error: MqError }) => {
  const current = useStore(session);
  // The branch of the address may be longer than assumed: `x/1` instead of pull request 1 of `x`.
  if (error.code === 'QUEUE_NOT_FOUND' && current.status === 'in' && current.only === null)
    return <Unresolved client={current.client} />;
  if (error.status === null || error.status >= 500)
    return (
      <Empty title="The server does not answer.">
        <p>The page tries again every few seconds.</p>
      </Empty>
    );
  if (error.status === 403)
    return (
      <Empty title="Your token may not see this.">
        <p>{error.message} Sign out and use a token with that right.</p>
      </Empty>
    );
  return (
    <Empty title={error.status === 404 ? 'Not found' : 'The server refused this.'}>
      <p>{error.message}</p>
    </Empty>
  );
};
