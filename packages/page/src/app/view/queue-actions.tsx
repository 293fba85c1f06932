import type { Client } from '@mq/client';
import { useState } from 'preact/hooks';
import type { Command } from '../data/commands.js';
import type { Queue, QueueRef } from '../data/queue-view.js';
import { may, type TokenRights } from '../data/session.js';
import { CommandDialog } from './command-dialog.js';

type Action = 'submit' | 'pause' | 'drain' | 'resume' | 'freeze' | 'unfreeze';

const titles: Readonly<Record<Action, string>> = {
  submit: 'Submit a pull request',
  pause: 'Pause the queue',
  drain: 'Drain the queue',
  resume: 'Resume the queue',
  freeze: 'Freeze merges',
  unfreeze: 'End the freeze',
};

const explanations: Readonly<Record<Action, string>> = {
  submit: 'It is tested on top of what is ahead of it, and merged when that passes.',
  pause: 'Nothing starts and nothing merges. Test runs under way finish, and their results are kept.',
  drain: 'Nothing new starts. What is being tested finishes and merges.',
  resume: 'Tests start and pull requests merge again.',
  freeze: 'Nothing starts and nothing merges before the time that you choose. The queue goes on by itself.',
  unfreeze: 'Tests start and pull requests merge again.',
};

interface QueueActionsProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly reference: QueueRef;
  readonly queue: Queue;
  readonly onDone: () => void;
}

/** The commands of a queue that the token allows. */
export const QueueActions = ({ client, rights, reference, queue, onDone }: QueueActionsProps) => {
  const [open, setOpen] = useState<Action | null>(null);
  const actions = actionsOf(queue).filter((action) =>
    may(rights, action === 'submit' ? 'submit' : 'queue:write'),
  );
  return (
    <div class="actions">
      {actions.map((action) => (
        <button key={action} type="button" onClick={() => setOpen(action)}>
          {titles[action].split(' ')[0]}
          <span class="hidden"> {titles[action].split(' ').slice(1).join(' ')}</span>
        </button>
      ))}
      {actions.length === 0 && <span class="quiet">You may only read.</span>}
      {open !== null && (
        <QueueDialog
          key={open}
          action={open}
          client={client}
          reference={reference}
          onDone={onDone}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
};

const actionsOf = ({ state, freezeUntil }: Queue): readonly Action[] => {
  const isFrozen = freezeUntil !== null && Date.parse(freezeUntil) > Date.now();
  const isStopped = state === 'paused' || state === 'draining';
  return [
    'submit',
    ...(isStopped ? (['resume'] as const) : (['pause', 'drain'] as const)),
    isFrozen ? 'unfreeze' : 'freeze',
  ];
};

interface QueueDialogProps {
  readonly action: Action;
  readonly client: Client;
  readonly reference: QueueRef;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const HOUR_MS = 3_600_000;

/** The value of a field for a local date and time. */
const localInput = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const QueueDialog = ({ action, client, reference, onDone, onClose }: QueueDialogProps) => {
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState(() => localInput(Date.now() + HOUR_MS));
  const [number, setNumber] = useState('');
  const command = commandOf(action, reference, { reason: reason.trim(), until, number });
  return (
    <CommandDialog
      client={client}
      title={titles[action]}
      confirm={titles[action].split(' ')[0] ?? ''}
      command={command}
      onDone={onDone}
      onClose={onClose}
    >
      <p class="quiet">{explanations[action]}</p>
      {action === 'submit' && (
        <label>
          Number of the pull request
          <input
            inputMode="numeric"
            pattern="[1-9][0-9]*"
            value={number}
            onInput={(event) => setNumber(event.currentTarget.value)}
          />
        </label>
      )}
      {action === 'freeze' && (
        <label>
          Until
          <input
            type="datetime-local"
            value={until}
            onInput={(event) => setUntil(event.currentTarget.value)}
          />
        </label>
      )}
      {(action === 'pause' || action === 'drain' || action === 'freeze') && (
        <label>
          Reason, shown with every pull request that waits
          <input value={reason} maxLength={250} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
    </CommandDialog>
  );
};

interface Fields {
  readonly reason: string;
  readonly until: string;
  readonly number: string;
}

const commandOf = (
  action: Action,
  reference: QueueRef,
  { reason, until, number }: Fields,
): Command | null => {
  const update = { operation: 'updateQueue', ...reference } as const;
  const stateReason = reason === '' ? null : reason;
  switch (action) {
    case 'submit':
      return /^[1-9]\d{0,9}$/.test(number.trim())
        ? { operation: 'submitPullRequest', ...reference, pr: { number: Number(number) } }
        : null;
    case 'pause':
      return { ...update, state: 'paused', stateReason };
    case 'drain':
      return { ...update, state: 'draining', stateReason };
    case 'resume':
      return { ...update, state: 'running' };
    case 'freeze': {
      const at = Date.parse(until);
      if (Number.isNaN(at)) return null;
      return { ...update, freezeUntil: new Date(at).toISOString(), freezeReason: stateReason };
    }
    case 'unfreeze':
      return { ...update, freezeUntil: null };
  }
};
