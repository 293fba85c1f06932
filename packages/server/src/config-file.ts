import { isAbsolute } from 'node:path';
import {
  COMMAND_PREFIX_FAULT,
  COMMAND_PREFIXES_LIMIT,
  COMMANDS_POLL_MS,
  defaultCommandPrefixes,
  isCommandPrefix,
  isRepoName,
  isRepoOwner,
  type Pace,
  TARGET_BYTES_LIMIT,
} from '@mq/core';
import {
  CHECK_COMMAND_LIMIT_CHARS,
  CHECK_NAME_LIMIT_CHARS,
  CHECK_TIMEOUT_LIMIT_SECONDS,
  CHECKS_LIMIT,
} from '@mq/host-git';
import { isRange } from '@mq/webhooks';
import { z } from 'zod';
import { forges } from './forge-config.js';
import { proxies } from './proxies.js';

/** Poll intervals for repositories on the local disk, where a read is cheap. */
const localPace: Partial<Pace> = {
  pollBranchMs: 2_000,
  pollPullRequestsMs: 2_000,
  pollChecksMs: 2_000,
  retryDelayMs: 2_000,
  missingGraceMs: 60_000,
};

const DAY_MS = 86_400_000;
const CI_CONCURRENCY_LIMIT = 256;
const WRAPPER_WORDS_LIMIT = 200;
const ALIASES_LIMIT = 100;
const [WEBHOOK_PORTS_LIMIT, WEBHOOK_RANGES_LIMIT] = [20, 100];
const millis = z.int().min(100).max(DAY_MS);

/** One upload of any length fits. */
const TARGET_BYTES_MINIMUM = 20 * 1024 * 1024;
const REPORTERS_LIMIT = 20;
const REPORTER_CHARS_LIMIT = 100;

/** Where the result of a check comes from. */
export const checkSources = ['command', 'host', 'external'] as const;

const fieldsOfSource: Readonly<Record<(typeof checkSources)[number], readonly string[]>> = {
  command: ['command', 'timeoutSeconds'],
  host: [],
  external: ['reporters', 'startTimeoutSeconds'],
};
const neededBySource = { command: 'command', host: null, external: 'reporters' } as const;

const check = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(CHECK_NAME_LIMIT_CHARS)
      .describe('The name of the check, as in required statuses.'),
    source: z
      .enum(checkSources)
      .default('command')
      .describe(
        'The only source of its result: `command` runs the command here, `host` is what the code host shows, `external` is what the reporters report with `reportCheck`.',
      ),
    command: z
      .string()
      .min(1)
      .max(CHECK_COMMAND_LIMIT_CHARS)
      .exactOptional()
      .describe('Run by `/bin/sh -c` in an export of the tree to be tested. For the source `command`.'),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(CHECK_TIMEOUT_LIMIT_SECONDS)
      .exactOptional()
      .describe('The timeout of the command; default 1800.'),
    reporters: z
      .array(z.string().trim().min(1).max(REPORTER_CHARS_LIMIT))
      .min(1)
      .max(REPORTERS_LIMIT)
      .exactOptional()
      .describe('The names of the tokens that may report it. For the source `external`.'),
    startTimeoutSeconds: z
      .int()
      .min(1)
      .max(CHECK_TIMEOUT_LIMIT_SECONDS)
      .exactOptional()
      .describe(
        'How long a reporter may take to begin, before the check ends as an infrastructure failure; default `pace.ciStartMs`.',
      ),
  })
  .superRefine((given, context) => {
    const needed = neededBySource[given.source];
    if (needed !== null && given[needed] === undefined)
      context.addIssue({
        code: 'custom',
        path: [needed],
        message: `is required with the source "${given.source}"`,
      });
    for (const field of Object.values(fieldsOfSource).flat())
      if (Object.hasOwn(given, field) && !fieldsOfSource[given.source].includes(field))
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `must be left out with the source "${given.source}"`,
        });
  });

/** Whether a request can name it. */
const isNameable = (ownerAndName: string): boolean => {
  const end = ownerAndName.lastIndexOf('/');
  return isRepoOwner(ownerAndName.slice(0, end)) && isRepoName(ownerAndName.slice(end + 1));
};
const NOT_NAMEABLE = 'must have no escape such as %2F, no backslash and no part that is "." or ".."';

const repository = z.strictObject({
  path: z
    .string()
    .refine(isAbsolute, 'must be an absolute path')
    .exactOptional()
    .describe('Where the bare repository lies, if not under `repos/` of the data folder. Absolute.'),
  aliases: z
    .array(
      z
        .string()
        .regex(/^[^/\s]+(\/[^/\s]+){2,}$/, 'must be host/owner/name')
        .refine((name) => isNameable(name.slice(name.indexOf('/') + 1)), NOT_NAMEABLE),
    )
    .max(ALIASES_LIMIT)
    .default([])
    .describe(
      'Other names of the repository, `host/owner/name`: clients that can only name `github.com/acme/widgets` reach it by that.',
    ),
  checks: z
    .array(check)
    .max(CHECKS_LIMIT)
    .refine(
      (checks) => new Set(checks.map(({ name }) => name)).size === checks.length,
      'has two checks with the same name',
    )
    .default([])
    .describe(
      'The checks that every merge needs, besides those in the git config of the repository; if both have a check of the same name, this one is used.',
    ),
});

const pace = z
  .strictObject({
    pollBranchMs: millis.exactOptional().describe('How often the tip of the target branch is read.'),
    pollPullRequestsMs: millis.exactOptional().describe('How often waiting pull requests are read.'),
    pollChecksMs: millis.exactOptional().describe('How often running checks are read.'),
    ciStartMs: millis
      .exactOptional()
      .describe(
        'How long the first check of a test run may take to appear; after that the CI counts as not working.',
      ),
    retryDelayMs: millis
      .exactOptional()
      .describe('Delay before the first retry after an infrastructure failure; doubled each time.'),
    retryLimit: z
      .int()
      .min(0)
      .max(100)
      .exactOptional()
      .describe('How often a test is repeated after such a failure.'),
    missingGraceMs: millis
      .exactOptional()
      .describe(
        'How long a pull request may be missing at the host before it is read again, and then cancelled.',
      ),
    ageingMsPerPoint: z
      .int()
      .min(0)
      .max(DAY_MS)
      .exactOptional()
      .describe('What one point of priority is worth in waiting time.'),
  })
  .prefault({});

/** The schema of `mq.config.json`; every key is optional. */
export const configFile = z.strictObject({
  repositories: z
    .record(
      z
        .string()
        .regex(/^[^/\s]+(\/[^/\s]+)+$/, 'must be owner/name')
        .refine(isNameable, NOT_NAMEABLE),
      repository,
    )
    .default({})
    .describe('Settings of repositories, by `owner/name`.'),
  ci: z
    .strictObject({
      concurrency: z
        .int()
        .min(1)
        .max(CI_CONCURRENCY_LIMIT)
        .exactOptional()
        .describe('How many check commands run at once; default: the number of processors minus one.'),
      candidateBranches: z
        .boolean()
        .exactOptional()
        .describe(
          'True shows what is under test also as a branch, `mq/pr-<n>/<testRunId>`, for a CI that tests every branch. Pushes to `mq/*` are refused then.',
        ),
      environment: z
        .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of a variable'), z.string())
        .default({})
        .describe('Environment variables of the commands, in addition to PATH, HOME, TMPDIR, LANG and CI.'),
      user: z
        .string()
        .min(1)
        .max(64)
        .exactOptional()
        .describe(
          'A user that only runs the commands; the server has to run as root. Default: the user of the server.',
        ),
      afterLanding: z
        .string()
        .min(1)
        .max(CHECK_COMMAND_LIMIT_CHARS)
        .exactOptional()
        .describe(
          'A command that is run in the bare repository after each landing, at least once, as the user of the server. It gets `<old> <new> <ref>` on standard input, as a `post-receive` hook does; a landing runs no hooks.',
        ),
      wrapper: z
        .array(z.string().min(1).max(CHECK_COMMAND_LIMIT_CHARS))
        .min(1)
        .max(WRAPPER_WORDS_LIMIT)
        .exactOptional()
        .describe(
          'A program and its arguments that each command is handed to as `/bin/sh -c <command>`, such as bubblewrap. `{tree}`, `{home}` and `{tmp}` stand for the folders of the check.',
        ),
    })
    .prefault({}),
  aliases: z
    .record(
      z.string().regex(/^[^/\s]+(\/[^/\s]+)*$/, 'must be host or host/owner'),
      z.string().regex(/^[^/\s]+(\/[^/\s]+)*$/, 'must be host or host/owner'),
    )
    .default({})
    .describe(
      'Other names of owners, `github.com/acme` to `local/platform`, or of the host, `github.com` to `local`.',
    ),
  commands: z
    .strictObject({
      prefixes: z
        .array(z.string().refine(isCommandPrefix, COMMAND_PREFIX_FAULT))
        .min(1)
        .max(COMMAND_PREFIXES_LIMIT)
        .default([...defaultCommandPrefixes])
        .describe('The prefixes of commands in comments.'),
      pollMs: millis
        .default(COMMANDS_POLL_MS)
        .describe('How often a code host is polled for comments and labels that no webhook announced.'),
    })
    .prefault({}),
  hosts: forges,
  pace: pace.transform((given) => ({ ...localPace, ...given })),
  webhooks: z
    .strictObject({
      keyFile: z
        .string()
        .refine(isAbsolute, 'must be an absolute path')
        .exactOptional()
        .describe(
          'A file with the key that encrypts the secrets of webhooks, the same for all servers: 32 bytes as hexadecimal digits or base64. Default: `webhook-key` in `MQ_DATA`, generated at the first start.',
        ),
      allowHttp: z
        .boolean()
        .default(false)
        .describe('True: webhooks may use http, on port 80; otherwise https alone.'),
      allowPorts: z
        .array(z.int().min(1).max(65_535))
        .max(WEBHOOK_PORTS_LIMIT)
        .default([])
        .describe('Ports that webhooks may use besides 443.'),
      allowRanges: z
        .array(z.string().refine(isRange, 'must be a range such as 10.1.0.0/16'))
        .max(WEBHOOK_RANGES_LIMIT)
        .default([])
        .describe(
          'Private ranges of addresses, such as `10.1.0.0/16`, that webhooks may call besides the public internet. With any, the delivery log shows no answers.',
        ),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      enabled: z.boolean().default(true).describe('False: `GET /metrics` is not served.'),
      port: z
        .int()
        .min(1)
        .max(65_535)
        .exactOptional()
        .describe('A port of its own for `GET /metrics`, on the same address; default: the port of the API.'),
    })
    .prefault({}),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .transform((url) => url.replace(/\/+$/, ''))
    .exactOptional()
    .describe('The address at which people reach the server, for links to logs; default: its own address.'),
  targetBytesPerRepository: z
    .int()
    .min(TARGET_BYTES_MINIMUM)
    .default(TARGET_BYTES_LIMIT)
    .describe(
      'Max bytes of stored impacted targets of one repository. Above that, those of pull requests outside its queues are removed first, then uploads are refused with `TARGETS_FULL`.',
    ),
  trustProxy: proxies
    .default([])
    .describe(
      'The addresses of proxies, or ranges such as `10.0.0.0/8`, whose `X-Forwarded-For` says who the client is. Rates, failed tries and logs count by that address; default: the address of the connection.',
    ),
});

export type ConfigFile = Readonly<z.infer<typeof configFile>>;
