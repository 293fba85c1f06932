import type { Client } from '@mq/client';
import { useEffect, useState } from 'preact/hooks';
import { loadQueueRefs } from '../data/queues.js';
import { path, redirect } from '../data/router.js';
import { useStore } from '../data/store.js';
import { resolvedPath, wordsOf } from '../model/route.js';
import { Empty } from './parts.js';

/** Reads the queues to find out which part of the address is which, and goes to the address with encoded slashes. */
export const Unresolved = ({ client }: { readonly client: Client }) => {
  const below = useStore(path);
  const [isUnknown, setUnknown] = useState(false);
  useEffect(() => {
    const over = new AbortController();
    setUnknown(false);
    loadQueueRefs(client, over.signal).then(
      (queues) => {
        const resolved = resolvedPath(wordsOf(below), queues);
        if (resolved === null || resolved === below) setUnknown(true);
        else redirect(resolved);
      },
      () => {
        if (!over.signal.aborted) setUnknown(true);
      },
    );
    return () => over.abort();
  }, [client, below]);
  if (!isUnknown) return <p class="quiet">Loading…</p>;
  return (
    <Empty title="There is nothing at this address.">
      <p>A queue is at /host/owner/name/branch, a pull request at /host/owner/name/branch/number.</p>
    </Empty>
  );
};
