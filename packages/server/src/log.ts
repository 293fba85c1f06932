import { type Logger, pino, stdSerializers } from 'pino';
import type { LogLevel } from './config.js';

export interface LogOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Logs readable lines to a terminal and JSON lines elsewhere. Never pass it tokens or request bodies. */
export const makeLogger = (level: LogLevel, output: LogOutput): Logger =>
  pino(
    { level, base: null, serializers: { error: stdSerializers.err, err: stdSerializers.err } },
    output.isTTY === true ? { write: (line: string) => void output.write(lineForPeople(line)) } : output,
  );

const lineForPeople = (json: string): string => {
  const { level, time, msg, ...facts }: Record<string, unknown> = JSON.parse(json);
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const word = Number(level) >= 40 ? ` ${(pino.levels.labels[Number(level)] ?? '').toUpperCase()}` : '';
  const more = Object.entries(facts)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : messageOr(value)}`)
    .join(' ');
  return `${at}${word}  ${String(msg)}${more === '' ? '' : `  (${more})`}\n`;
};

const messageOr = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'message' in value
    ? String(value.message)
    : JSON.stringify(value);
