import type { RequestOf } from '@mq/client';
import type { Queue } from '../data/queue-view.js';
import { settingsFields } from '../generated/settings-fields.js';

export type Field = (typeof settingsFields)[number];
export type SettingName = Field['name'];
/** The values of a form: a text for each field, `true` or `false` for switches, and one line per name for lists. */
export type Form = Readonly<Record<SettingName, string>>;

type SettingsRequest = Omit<RequestOf<'updateQueue'>, 'repo' | 'targetBranch'>;

export interface Difference {
  readonly name: SettingName;
  readonly from: string;
  readonly to: string;
}

const asText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) return String(value);
  return value
    .map((item: unknown) =>
      typeof item === 'object' && item !== null && 'targetPattern' in item
        ? String(item.targetPattern)
        : String(item),
    )
    .join('\n');
};

export const formOf = (queue: Queue): Form =>
  Object.fromEntries(settingsFields.map(({ name }) => [name, asText(queue[name])])) as Record<
    SettingName,
    string
  >;

export const differencesOf = (before: Form, after: Form): readonly Difference[] =>
  settingsFields.flatMap(({ name }) =>
    before[name].trim() === after[name].trim() ? [] : [{ name, from: before[name], to: after[name] }],
  );

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Only what differs, as the operation takes it. An empty list of required checks means those of the code host. */
export const requestOf = (before: Form, after: Form): SettingsRequest =>
  Object.fromEntries(
    differencesOf(before, after).map(({ name, to }) => {
      const field = settingsFields.find((one) => one.name === name);
      return [name, fieldValue(field, to)];
    }),
  ) as SettingsRequest;

const fieldValue = (field: Field | undefined, text: string): unknown => {
  switch (field?.kind) {
    case 'boolean':
      return text === 'true';
    case 'integer':
      return text.trim() === '' ? null : Number(text);
    case 'names': {
      const names = linesOf(text);
      return field.name === 'requiredStatuses' && names.length === 0 ? null : names;
    }
    case 'rules':
      return linesOf(text).map((targetPattern) => ({ targetPattern, policy: 'isolate' }));
    default:
      return text.trim();
  }
};
