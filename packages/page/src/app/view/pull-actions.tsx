import type { Client } from '@mq/client';
import { useState } from 'preact/hooks';
import type { Command } from '../data/commands.js';
import type { Pull } from '../data/pull-view.js';
import type { QueueRef } from '../data/queue-view.js';
import { may, type Scope, type TokenRights } from '../data/session.js';
import { CommandDialog } from './command-dialog.js';

type Action = 'submit' | 'cancel' | 'restart' | 'priority';

const scopesOf: Readonly<Record<Action, Scope>> = {
  submit: 'submit',
  cancel: 'cancel',
  restart: 'submit',
  priority: 'submit',
};

const labels: Readonly<Record<Action, string>> = {
  submit: 'Submit',
  cancel: 'Cancel',
  restart: 'Restart tests',
  priority: 'Priority',
};

const classes = ['urgent', 'high', 'medium', 'low'] as const;
type PriorityClass = (typeof classes)[number];

interface PullActionsProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly reference: QueueRef;
  readonly pr: number;
  /** Null if it was never submitted. */
  readonly pull: Pull | null;
  readonly onDone: () => void;
}

/** The commands of a pull request that its state and the token allow. */
export const PullActions = (props: PullActionsProps) => {
  const { rights, pull } = props;
  const [open, setOpen] = useState<Action | null>(null);
  const actions = actionsOf(pull).filter((action) => may(rights, scopesOf[action]));
  return (
    <div class="actions">
      {actions.map((action) => (
        <button key={action} type="button" onClick={() => setOpen(action)}>
          {labels[action]}
        </button>
      ))}
      {open !== null && <PullDialog key={open} {...props} action={open} onClose={() => setOpen(null)} />}
    </div>
  );
};

const actionsOf = (pull: Pull | null): readonly Action[] => {
  if (pull === null) return ['submit'];
  if (pull.isCurrentlySubmittedToQueue)
    return pull.testRunId === undefined ? ['priority', 'cancel'] : ['restart', 'priority', 'cancel'];
  return pull.state === 'merged' ? [] : ['submit'];
};

interface PullDialogProps extends PullActionsProps {
  readonly action: Action;
  readonly onClose: () => void;
}

const PullDialog = ({ client, rights, reference, pr, pull, action, onDone, onClose }: PullDialogProps) => {
  const [priority, setPriority] = useState<PriorityClass>(pull?.priorityName ?? 'medium');
  const allowed = classes.filter((name) => may(rights, 'skip') || name === 'medium' || name === 'low');
  return (
    <CommandDialog
      client={client}
      title={`${labels[action]} #${pr}`}
      confirm={
        action === 'priority'
          ? 'Set priority'
          : action === 'cancel'
            ? 'Take it out of the queue'
            : labels[action]
      }
      isDangerous={action === 'cancel'}
      command={commandOf(action, reference, pr, priority)}
      onDone={onDone}
      onClose={onClose}
    >
      {(action === 'priority' || action === 'submit') && (
        <label>
          Priority
          <select
            value={priority}
            onChange={(event) => setPriority(event.currentTarget.value as PriorityClass)}
          >
            {allowed.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </CommandDialog>
  );
};

const commandOf = (action: Action, reference: QueueRef, number: number, priority: PriorityClass): Command => {
  const named = { ...reference, pr: { number } };
  switch (action) {
    case 'cancel':
      return { operation: 'cancelPullRequest', ...named };
    case 'restart':
      return { operation: 'restartTestsOnPullRequest', ...named };
    case 'submit':
    case 'priority':
      return { operation: 'submitPullRequest', ...named, priority };
  }
};
