import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { HOST_NAME } from './aliases.js';

const HOSTS_LIMIT = 20;
const OWNERS_LIMIT = 1_000;
const ALIASES_LIMIT = 100;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Addresses end in no slash. Credentials in one would be shown in logs. */
const isAddress = (text: string): boolean => {
  try {
    const { protocol, username, password, search, hash } = new URL(text);
    return /^https?:$/.test(protocol) && username + password + search + hash === '';
  } catch {
    return false;
  }
};

const isEncrypted = (text: string): boolean => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || LOOPBACK.test(hostname);
};

const secret = (what: string) => ({
  variable: z
    .string()
    .regex(VARIABLE, 'must be a name of a variable')
    .exactOptional()
    .describe(`The environment variable that holds ${what}.`),
  file: z
    .string()
    .refine(isAbsolute, 'must be an absolute path')
    .exactOptional()
    .describe(`A file with ${what}, read each time; only the server should be able to read it.`),
});
const [token, hookSecret] = [
  secret('the token of the queue’s account'),
  secret('the secret of its webhooks'),
];

const forge = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits, dots and dashes')
      .refine((name) => name !== HOST_NAME, `must not be "${HOST_NAME}", the git host of this server`)
      .describe('What requests call the host in `repo.host`.'),
    type: z.enum(['gitea', 'forgejo']).describe('What runs there.'),
    url: z
      .string()
      .refine(isAddress, 'must be an http or https address without a user, a password or a query')
      .transform((url) => url.replace(/\/+$/, ''))
      .describe('Its address: `https://git.example.com`.'),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('True: the address may be http on another machine. The token is then readable on the way.'),
    tokenVariable: token.variable,
    tokenFile: token.file,
    webhookSecretVariable: hookSecret.variable,
    webhookSecretFile: hookSecret.file,
    owners: z
      .array(z.string().regex(/^[^/\s]{1,100}$/, 'must be the name of a user or an organisation'))
      .min(1)
      .max(OWNERS_LIMIT)
      .exactOptional()
      .describe('The users and organisations whose repositories are served. Default: all.'),
    drafts: z
      .boolean()
      .default(false)
      .describe(
        'True: candidates get draft pull requests, for a CI that tests pull requests only, in queues with `createPrsForTestingBranches`.',
      ),
    aliases: z
      .record(
        z.string().regex(/^[^/\s]+\/[^/\s]+(\/[^/\s]+)?$/, 'must be host/owner or host/owner/name'),
        z.string().regex(/^[^/\s]+(\/[^/\s]+)?$/, 'must be owner or owner/name'),
      )
      .refine(
        (aliases) => Object.keys(aliases).length <= ALIASES_LIMIT,
        `has more than ${ALIASES_LIMIT} names`,
      )
      .default({})
      .describe(
        'Other names of its owners and repositories: `github.com/acme` to `platform`, `github.com/acme/app` to `platform/app`.',
      ),
  })
  .superRefine((given, context) => {
    const fault = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (isAddress(given.url) && !given.allowHttp && !isEncrypted(given.url))
      fault('url', 'must be https, because the token is sent with each call; or set "allowHttp"');
    if (given.tokenVariable === undefined && given.tokenFile === undefined)
      fault('tokenVariable', 'is required, or "tokenFile"');
    if (given.tokenVariable !== undefined && given.tokenFile !== undefined)
      fault('tokenFile', 'must be left out with "tokenVariable"');
    if (given.webhookSecretVariable !== undefined && given.webhookSecretFile !== undefined)
      fault('webhookSecretFile', 'must be left out with "webhookSecretVariable"');
  });

/** Code hosts besides the bare repositories of the server. */
export const forges = z
  .array(forge)
  .max(HOSTS_LIMIT)
  .refine(
    (all) => new Set(all.map(({ name }) => name)).size === all.length,
    'has two hosts with the same name',
  )
  .default([])
  .describe('Code hosts besides the bare repositories of the server, which are the host `local`.');
