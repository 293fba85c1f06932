import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder with their content, and all links with their targets. */
export const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .flatMap(({ entry, path }) => {
      if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
      return entry.isFile() ? [`${path} ${readFileSync(path, 'base64')}`] : [];
    })
    .sort();
