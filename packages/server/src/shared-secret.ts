import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf } from './problem.js';

export const SECRET_BYTES = 32;

/** Returns the same key to all servers that share the folder, by linking a complete file to the name unless it exists. */
export const sharedSecret = (path: string): Buffer => {
  const known = readSecret(path);
  if (known !== null) return known;
  const mine = `${path}.${randomUUID()}`;
  writeFileSync(mine, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, { mode: 0o600 });
  try {
    linkSync(mine, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // Either another server created the file meanwhile, or a crash truncated it.
    if (readSecret(path) === null) renameSync(mine, path);
  } finally {
    rmSync(mine, { force: true });
  }
  const made = readSecret(path);
  if (made === null) throw new Error(`${path} holds no key although it was just written`);
  return made;
};

const readSecret = (path: string): Buffer | null => {
  try {
    const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
    return secret.length === SECRET_BYTES ? secret : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};
