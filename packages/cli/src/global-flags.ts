import type { Flag } from './command.js';

/** Every command takes them. */
export const globalFlags: readonly Flag[] = [
  { flags: '--server <name>', description: 'a server that you logged in to, by its name or address' },
  {
    flags: '--repo <repo>',
    description: 'host/owner/name, or owner/name; default: that of the git checkout',
  },
  {
    flags: '--branch <branch>',
    description: 'the target branch; default: that of the only queue, or the default branch',
  },
  { flags: '--json', description: 'answer as JSON, for programs' },
];
