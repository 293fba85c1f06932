import { setImmediate } from 'node:timers/promises';
import { type ImpactedTargets, normalTargets, unitedTargets } from '../model/impacted-targets.js';

/** Targets handled in one turn of the event loop, which takes some milliseconds. */
const TARGETS_PER_TURN = 10_000;

/** `normalTargets`. Sorts a long list in several turns of the event loop, so that others are served in between. */
export const normalTargetsInTurns = async (targets: ImpactedTargets): Promise<ImpactedTargets> => {
  if (targets === 'ALL' || targets.length <= TARGETS_PER_TURN) return normalTargets(targets);
  let parts: (readonly string[])[] = [];
  for (const slice of slicesOf(targets)) {
    const part = normalTargets(slice);
    if (part === 'ALL') return part;
    parts.push(part);
    await setImmediate();
  }
  while (parts.length > 1) {
    const [one = [], other = [], ...rest] = parts;
    parts = [...rest, unitedTargets(one, other)];
    await setImmediate();
  }
  return parts[0] ?? [];
};

/** The length of the list as JSON, in bytes. A long list is measured in several turns. */
export const targetBytesInTurns = async (targets: readonly string[]): Promise<number> => {
  let bytes = '['.length;
  for (const slice of slicesOf(targets)) {
    bytes += Buffer.byteLength(JSON.stringify(slice)) - ']'.length;
    await endTurn(targets);
  }
  return bytes;
};

/** Ends the turn of the event loop if the list is long, before something else is done with it. */
export const endTurn = async (targets: readonly string[]): Promise<void> => {
  if (targets.length > TARGETS_PER_TURN) await setImmediate();
};

function* slicesOf(targets: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < targets.length; at += TARGETS_PER_TURN)
    yield targets.slice(at, at + TARGETS_PER_TURN);
}
