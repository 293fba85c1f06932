import type { Client } from '@mq/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Command, execute, messageOf, type PreviewAnswer, usePreview } from '../data/commands.js';
import { effectsOf } from '../model/effects.js';
import { Dialog } from './dialog.js';

interface CommandDialogProps {
  readonly client: Client;
  readonly title: string;
  readonly confirm: string;
  /** Null while what is entered does not make a command. */
  readonly command: Command | null;
  readonly isDangerous?: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** The fields of the command. */
  readonly children?: ComponentChildren;
}

/** Shows what a command would do before it is sent. */
export const CommandDialog = (props: CommandDialogProps) => {
  const { client, title, confirm, command, isDangerous = false, onDone, onClose, children } = props;
  const previewed = usePreview(client, command);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isRefused = previewed.state === 'known' && previewed.answer.refusal !== null;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (command === null || isRefused) return;
    setBusy(true);
    try {
      await execute(client, command);
      onDone();
      onClose();
    } catch (error) {
      setFault(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        {children}
        <section class="preview" aria-label="What this would do" aria-live="polite">
          {previewed.state === 'asking' && <p class="quiet">Working out what this would do…</p>}
          {previewed.state === 'fault' && <p class="fault">{previewed.message}</p>}
          {previewed.state === 'known' && <Effects answer={previewed.answer} />}
        </section>
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={command === null || isRefused || isBusy}
          >
            {confirm}
          </button>
        </footer>
      </form>
    </Dialog>
  );
};

export const Effects = ({ answer }: { readonly answer: PreviewAnswer }) => {
  if (answer.refusal !== null) return <p class="fault">{answer.refusal.detail}</p>;
  const effects = effectsOf(answer);
  if (effects.length === 0) return <p>No test run and no other pull request is affected.</p>;
  return (
    <ul class="effects">
      {effects.map((effect) => (
        <li key={effect}>{effect}</li>
      ))}
    </ul>
  );
};
