import { oneLine } from '@mq/core';

/** A large tree takes seconds: it can be read with pauses. */
const ENTRIES_BETWEEN_PAUSES = 5_000;

/**
 * What makes a raw tree unreadable or unmergeable, in words. Null is no fault, but a place for a pause. Git reads, merges and lands
 * such trees in part: it takes over a folder that only one side has changed without reading it.
 */
export function* treeFaults(content: Buffer, idBytes: number): Generator<string | null> {
  const names = new Set<string>();
  const nullId = Buffer.alloc(idBytes);
  let lastKey = '';
  let at = 0;
  for (let entries = 1; at < content.length; entries += 1) {
    if (entries % ENTRIES_BETWEEN_PAUSES === 0) yield null;
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, at);
    const next = zero + 1 + idBytes;
    if (space === -1 || zero < space || next > content.length) return yield 'a tree that is cut off';
    // Latin-1 keeps every byte, and the order of bytes.
    const mode = content.toString('latin1', at, space);
    const name = content.toString('latin1', space + 1, zero);
    const shown = () => JSON.stringify(oneLine(content.toString('utf8', space + 1, zero)));
    const key = isFolder(mode) ? `${name}/` : name;
    if (!/^[0-7]{1,7}$/.test(mode)) yield `an entry ${shown()} without a valid mode`;
    if (name === '') yield 'an entry without a name';
    if (isForbidden(name)) yield `an entry with the name ${shown()}`;
    if (names.has(name)) yield `two entries with the name ${shown()}`;
    else if (key < lastKey) yield `an entry ${shown()} in the wrong order`;
    if (content.compare(nullId, 0, idBytes, zero + 1, next) === 0)
      yield `an entry ${shown()} without an object`;
    names.add(name);
    lastKey = key;
    at = next;
  }
}

/** Like git, which ignores the permissions of a folder. */
const isFolder = (mode: string): boolean => (Number.parseInt(mode, 8) & 0o170000) === 0o040000;

/** Git ignores the case of `.git`. */
const isForbidden = (name: string): boolean =>
  name.includes('/') || name === '.' || name === '..' || name.toLowerCase() === '.git';
