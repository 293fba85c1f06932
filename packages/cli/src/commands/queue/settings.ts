import { queueSettingNames } from '@mq/client';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { nearestName } from '../../nearest-name.js';
import type { Settings } from './change.js';

const wrong = (message: string, remedy: string): CliError =>
  new CliError('SETTING_WRONG', message, exitCodes.wrongUse, remedy);

/** Parses a value: numbers, true, false, null and lists as JSON, everything else as a string. */
const valueIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const known = (name: string): name is (typeof queueSettingNames)[number] =>
  (queueSettingNames as readonly string[]).includes(name);

/** The name that was probably meant, if any, and all names. */
const namesFor = (given: string): string => {
  const meant = nearestName(given, queueSettingNames);
  const names = queueSettingNames.join(', ');
  return meant === null ? `The settings are ${names}.` : `Did you mean ${meant}? All of them: ${names}.`;
};

/** The settings of "concurrency=3 mode=parallel". The server checks the values. */
export const settingsIn = (texts: readonly string[]): Settings => {
  const pairs = texts
    .filter((text) => text !== '')
    .map((text) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (!text.includes('='))
        throw wrong(`${JSON.stringify(text)} is not a setting.`, 'Write it like concurrency=3.');
      if (!known(name)) throw wrong(`There is no setting ${JSON.stringify(name)}.`, namesFor(name));
      return [name, valueIn(value)] as const;
    });
  return Object.fromEntries(pairs);
};
