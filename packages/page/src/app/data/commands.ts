import type { Client, RequestOf } from '@mq/client';
import { MqError } from '@mq/client';
import { useEffect, useState } from 'preact/hooks';

/** A command as `preview` takes it; without `operation` it is the request of that operation. */
export type Command = RequestOf<'preview'>;
export type PreviewAnswer = Awaited<ReturnType<Client['preview']>>;

/** Sends the command. Rejects with MqError. */
export const execute = async (client: Client, command: Command): Promise<void> => {
  switch (command.operation) {
    case 'updateQueue': {
      const { operation: _, ...request } = command;
      await client.updateQueue(request);
      return;
    }
    case 'submitPullRequest': {
      const { operation: _, ...request } = command;
      await client.submitPullRequest(request);
      return;
    }
    case 'cancelPullRequest': {
      const { operation: _, ...request } = command;
      await client.cancelPullRequest(request);
      return;
    }
    case 'restartTestsOnPullRequest': {
      const { operation: _, ...request } = command;
      await client.restartTestsOnPullRequest(request);
    }
  }
};

export type Previewed =
  | { readonly state: 'none' | 'asking' }
  | { readonly state: 'known'; readonly answer: PreviewAnswer }
  | { readonly state: 'fault'; readonly message: string };

const TYPING_MS = 350;

/** The preview of the command, requested again when the command changes. Null: it is not complete. */
export const usePreview = (client: Client, command: Command | null): Previewed => {
  const [previewed, setPreviewed] = useState<Previewed>({ state: 'none' });
  const key = JSON.stringify(command);
  useEffect(() => {
    const asked = JSON.parse(key) as Command | null;
    if (asked === null) return setPreviewed({ state: 'none' });
    setPreviewed({ state: 'asking' });
    const over = new AbortController();
    const timer = setTimeout(() => {
      client.preview({ ...asked, includeEstimatedTimeToMerge: true }, { signal: over.signal }).then(
        (answer) => setPreviewed({ state: 'known', answer }),
        (error: unknown) => {
          if (!over.signal.aborted) setPreviewed({ state: 'fault', message: messageOf(error) });
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [client, key]);
  return previewed;
};

export const messageOf = (error: unknown): string =>
  error instanceof MqError ? error.message : 'The page has a fault. Reload it.';
