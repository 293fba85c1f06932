import type { Client } from '@mq/client';
import { useMemo, useState } from 'preact/hooks';
import type { Command } from '../data/commands.js';
import { queueName } from '../data/live.js';
import { type QueueRef, type QueueView, queueReader } from '../data/queue-view.js';
import { may, type TokenRights } from '../data/session.js';
import { useLive } from '../data/use-live.js';
import { settingsFields } from '../generated/settings-fields.js';
import {
  type Difference,
  differencesOf,
  type Field,
  type Form,
  formOf,
  requestOf,
} from '../model/settings.js';
import { countText } from '../model/words.js';
import { CommandDialog } from './command-dialog.js';
import { Fault } from './fault.js';
import { QueueHead } from './queue.js';

interface SettingsProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly reference: QueueRef;
}

/** The settings of a queue. A change is shown as a difference, with what it would cost, before it is made. */
export const SettingsPage = ({ client, rights, reference }: SettingsProps) => {
  const load = useMemo(() => queueReader(client, reference), [client, reference]);
  const { value, error, reload } = useLive(load, queueName(reference.repo, reference.targetBranch));
  if (value === null) return error === null ? <p class="quiet">Loading…</p> : <Fault error={error} />;
  return (
    <>
      <QueueHead reference={reference} view={value} part="settings" />
      <SettingsForm client={client} rights={rights} reference={reference} view={value} onDone={reload} />
    </>
  );
};

interface SettingsFormProps extends SettingsProps {
  readonly view: QueueView;
  readonly onDone: () => void;
}

const SettingsForm = ({ client, rights, reference, view, onDone }: SettingsFormProps) => {
  const stored = formOf(view.queue);
  const [changes, setChanges] = useState<Partial<Form>>({});
  const [isOpen, setOpen] = useState(false);
  const form = { ...stored, ...changes } as Form;
  const differences = differencesOf(stored, form);
  const mayWrite = may(rights, 'queue:write');
  const command: Command = { operation: 'updateQueue', ...reference, ...requestOf(stored, form) };
  return (
    <form
      class="settings"
      onSubmit={(event) => {
        event.preventDefault();
        if (differences.length > 0) setOpen(true);
      }}
    >
      {!mayWrite && <p class="notice">You may read these settings, not change them.</p>}
      <div class="fields">
        {settingsFields.map((field) => (
          <SettingField
            key={field.name}
            field={field}
            value={form[field.name]}
            isChanged={differences.some(({ name }) => name === field.name)}
            isDisabled={!mayWrite}
            onChange={(value) => setChanges((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      {differences.length > 0 && (
        <p class="pending" role="status">
          {countText(differences.length, 'change')}
          <button type="button" onClick={() => setChanges({})}>
            Discard
          </button>
          <button type="submit" class="primary">
            Review
          </button>
        </p>
      )}
      {isOpen && (
        <CommandDialog
          client={client}
          title="Change the settings"
          confirm="Change"
          command={command}
          onDone={() => {
            setChanges({});
            onDone();
          }}
          onClose={() => setOpen(false)}
        >
          <Differences differences={differences} />
        </CommandDialog>
      )}
    </form>
  );
};

const Differences = ({ differences }: { readonly differences: readonly Difference[] }) => (
  <table class="diff" aria-label="Changes">
    <thead>
      <tr>
        <th scope="col">Setting</th>
        <th scope="col">Now</th>
        <th scope="col">Then</th>
      </tr>
    </thead>
    <tbody>
      {differences.map(({ name, from, to }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td>
            <del>{shown(from)}</del>
          </td>
          <td>
            <ins>{shown(to)}</ins>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const shown = (text: string): string => (text.trim() === '' ? 'not set' : text.trim().replaceAll('\n', ', '));

interface SettingFieldProps {
  readonly field: Field;
  readonly value: string;
  readonly isChanged: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (value: string) => void;
}

const SettingField = ({ field, value, isChanged, isDisabled, onChange }: SettingFieldProps) => {
  const id = `setting-${field.name}`;
  return (
    <div class={isChanged ? 'setting changed' : 'setting'}>
      <label for={id}>{field.name}</label>
      <SettingInput field={field} id={id} value={value} isDisabled={isDisabled} onChange={onChange} />
      <p id={`${id}-help`} class="quiet">
        {field.description.replaceAll('`', '')}
        {(field.kind === 'names' || field.kind === 'rules') && ' One per line.'}
      </p>
    </div>
  );
};

type SettingInputProps = Omit<SettingFieldProps, 'isChanged'> & { readonly id: string };

const SettingInput = ({ field, id, value, isDisabled, onChange }: SettingInputProps) => {
  const common = { id, disabled: isDisabled, 'aria-describedby': `${id}-help` };
  switch (field.kind) {
    case 'boolean':
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    case 'choice':
      return (
        <select {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      );
    case 'integer':
      return (
        <input
          {...common}
          type="number"
          min={field.minimum}
          max={field.maximum}
          required={!field.isNullable}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'names':
    case 'rules':
      return (
        <textarea
          {...common}
          rows={2}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'text':
      return <input {...common} value={value} onInput={(event) => onChange(event.currentTarget.value)} />;
  }
};
