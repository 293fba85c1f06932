import type { MqError } from '@mq/client';
import { Empty } from './parts.js';

/** What is shown in place of a view that could not be read. */
export const Fault = ({ error }: { readonly error: MqError }) => {
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
