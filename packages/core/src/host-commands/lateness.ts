import { COMMAND_FRESH_MS, type HostCommand } from '../model/host-command.js';
import type { Instant } from '../model/ids.js';

/** True if a command was first seen more than `COMMAND_FRESH_MS` after it was written, or is older than the queue. */
export const isTooLate = (
  { writtenAt, seenAt }: Pick<HostCommand, 'writtenAt' | 'seenAt'>,
  queueCreatedAt: Instant,
): boolean => seenAt - writtenAt > COMMAND_FRESH_MS || writtenAt < queueCreatedAt;
