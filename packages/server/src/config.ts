import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { namesFault, newTokenText } from '@mq/core';
import { z } from 'zod';
import { aliasesOf, hostNamesOf, letterCaseFault } from './aliases.js';
import { type ConfigFile, configFile } from './config-file.js';
import { secretFilesOf } from './forges.js';
import { codeOf, StartProblem } from './problem.js';
import { proxies } from './proxies.js';
import { repeatedKey } from './repeated-key.js';

const CONFIG_FILE_NAME = 'mq.config.json';
const STORE_FOLDER_NAME = 'store';
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Where the queues are stored. `memory` loses them when the process ends; for demonstrations and tests. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  /** `folder` is an absolute path. */
  | { readonly kind: 'pglite'; readonly folder: string }
  /** The URL contains a password, so never print it. */
  | { readonly kind: 'postgresql'; readonly url: string };

export interface ServerConfig extends ConfigFile {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly token: string;
  /** True if no token was set. A generated token is printed at start. */
  readonly isTokenGenerated: boolean;
  /** The files that secrets were read from. */
  readonly secretFiles: readonly string[];
  /** Absolute. */
  readonly dataFolder: string;
  readonly store: StoreChoice;
  readonly logLevel: LogLevel;
}

/**
 * The environment variables of the server, described as in its documentation. An empty variable counts as absent, except
 * DATABASE_URL: if its secret is missing, queues must not end up in a folder.
 */
export const environmentVariables = {
  PORT: { default: '8787', meaning: 'The port to listen on; 0 takes any free one.' },
  HOST: {
    default: '127.0.0.1',
    meaning: 'The address to listen on; 0.0.0.0 means all addresses of the machine.',
  },
  MQ_TOKEN: {
    default: 'generated and printed',
    meaning:
      'The bootstrap token: a request that sends it in `x-api-token` may do everything, and makes the other tokens.',
  },
  MQ_TOKEN_FILE: {
    default: 'none',
    meaning:
      'A file with the bootstrap token, in place of MQ_TOKEN; only the server should be able to read it.',
  },
  MQ_DATA: {
    default: '.mq',
    meaning: 'The folder of the server, with the repositories and, without `DATABASE_URL`, the queues in it.',
  },
  DATABASE_URL: {
    default: `PGlite in ${STORE_FOLDER_NAME} of MQ_DATA`,
    meaning:
      'A PostgreSQL (14 or later) that keeps the queues, in its schema `mq`: `postgres://user:password@host:port/database`. Servers with the same one work together.',
  },
  DATABASE_URL_FILE: {
    default: 'none',
    meaning: 'A file with the address of the PostgreSQL, in place of DATABASE_URL.',
  },
  MQ_LOG_LEVEL: { default: 'info', meaning: `What is logged: one of ${logLevels.join(', ')}.` },
  MQ_TRUST_PROXY: {
    default: '`trustProxy` of the configuration file',
    meaning:
      'The addresses of proxies whose `X-Forwarded-For` counts, or ranges such as 10.0.0.0/8, with commas between them; replaces `trustProxy`.',
  },
  MQ_CONFIG: {
    default: `${CONFIG_FILE_NAME} in MQ_DATA`,
    meaning: 'The configuration file. It need not exist, unless it is named here.',
  },
} as const;

const PORT_LIMIT = 65_535;
const portRule = `must be a whole number from 0 to ${PORT_LIMIT}; leave it out for ${environmentVariables.PORT.default}`;

/** Error messages never show the URL, because it may contain a password. */
const isDatabaseUrl = (text: string): boolean => {
  try {
    const { protocol, hostname, searchParams, username, password, pathname } = new URL(text);
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return /^postgres(ql)?:$/.test(protocol) && (hostname !== '' || searchParams.has('host'));
  } catch {
    return false;
  }
};

const TOKEN_CHARS_MINIMUM = 20;
const TOKEN_DISTINCT_CHARS_MINIMUM = 8;
const loopback = /^(127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/;

/** Whether the address can be reached from this machine only. */
export const isLoopback = (host: string): boolean => loopback.test(host);

const secretNames = ['MQ_TOKEN', 'DATABASE_URL'] as const;
/** No secret is as long. */
const SECRET_FILE_LIMIT_BYTES = 10_000;

const environment = z.object({
  PORT: z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= PORT_LIMIT, portRule)
    .default(environmentVariables.PORT.default),
  HOST: z.string().max(255).default(environmentVariables.HOST.default),
  MQ_TOKEN: z
    .string()
    .regex(/^[!-~]{1,512}$/, 'must be 1 to 512 printable ASCII characters without spaces')
    .optional(),
  MQ_DATA: z.string().default(environmentVariables.MQ_DATA.default),
  DATABASE_URL: z
    .string()
    .refine(
      isDatabaseUrl,
      'must be postgres://user:password@host:port/database, with special characters of user and password as %XX; leave it out, and not empty, for a database in MQ_DATA',
    )
    .optional(),
  MQ_LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(z.enum(logLevels, `must be one of ${logLevels.join(', ')}`))
    .default(environmentVariables.MQ_LOG_LEVEL.default),
  MQ_TRUST_PROXY: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(proxies)
    .optional(),
  MQ_CONFIG: z.string().optional(),
});

/** Reads the environment and the configuration file. Throws a StartProblem that lists all faults of the first that has any. */
export const readConfig = (environmentGiven: Readonly<Record<string, string | undefined>>): ServerConfig => {
  const { env, files } = withSecretsOfFiles(environmentGiven);
  const given = Object.fromEntries(
    Object.keys(environmentVariables).flatMap((name) =>
      env[name] || (env[name] === '' && name === 'DATABASE_URL') ? [[name, env[name]]] : [],
    ),
  );
  const variables = environment.safeParse(given);
  if (!variables.success)
    throw new StartProblem(
      'The environment contains invalid settings.',
      faultLines(variables.error).join('\n'),
    );
  const { PORT, HOST, MQ_TOKEN, MQ_DATA, DATABASE_URL, MQ_LOG_LEVEL, MQ_TRUST_PROXY, MQ_CONFIG } =
    variables.data;
  if (!isLoopback(HOST)) refuseWeakToken(HOST, MQ_TOKEN);
  const dataFolder = resolve(MQ_DATA);
  const path = MQ_CONFIG === undefined ? join(dataFolder, CONFIG_FILE_NAME) : resolve(MQ_CONFIG);
  const file = readConfigFile(path, MQ_CONFIG === undefined);
  return {
    ...file,
    trustProxy: MQ_TRUST_PROXY ?? file.trustProxy,
    host: HOST,
    port: Number(PORT),
    token: MQ_TOKEN ?? newTokenText(),
    isTokenGenerated: MQ_TOKEN === undefined,
    secretFiles: [...files, ...secretFilesOf(file.hosts)],
    dataFolder,
    store:
      DATABASE_URL === undefined
        ? { kind: 'pglite', folder: join(dataFolder, STORE_FOLDER_NAME) }
        : { kind: 'postgresql', url: DATABASE_URL },
    logLevel: MQ_LOG_LEVEL,
  };
};

/** Returns the environment with each `*_FILE` variable replaced by the content of its file. */
const withSecretsOfFiles = (env: Readonly<Record<string, string | undefined>>) => {
  const files: string[] = [];
  const secrets: Record<string, string> = {};
  for (const name of secretNames) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    if (env[name]) throw new StartProblem(`Both ${name} and ${name}_FILE are set.`, 'Leave one of them out.');
    secrets[name] = readSecret(`${name}_FILE`, resolve(path));
    files.push(resolve(path));
  }
  return { env: { ...env, ...secrets }, files };
};

const readSecret = (variable: string, path: string): string => {
  try {
    const text = readFileSync(path, 'utf8');
    const secret = text.trim();
    if (secret !== '' && text.length <= SECRET_FILE_LIMIT_BYTES) return secret;
    throw new StartProblem(
      `The file ${path} that ${variable} names is ${secret === '' ? 'empty' : 'too long for a secret'}.`,
      'Write the secret into it, and nothing else.',
    );
  } catch (error) {
    if (error instanceof StartProblem) throw error;
    throw new StartProblem(
      `The file ${path} that ${variable} names cannot be read (${codeOf(error) ?? String(error)}).`,
      `Correct ${variable}, or make the file readable for the user that runs the server.`,
      { cause: error },
    );
  }
};

/** Requires a strong token if other machines can reach the server, because they can guess a weak one. */
const refuseWeakToken = (host: string, token: string | undefined): void => {
  const remedy =
    'Set MQ_TOKEN_FILE to a file with a random token (openssl rand -hex 32), or leave HOST out to be reached from this machine only.';
  if (token === undefined)
    throw new StartProblem(`HOST=${host} is reached from other machines, and no token is set.`, remedy);
  if (token.length < TOKEN_CHARS_MINIMUM || new Set(token).size < TOKEN_DISTINCT_CHARS_MINIMUM)
    throw new StartProblem(
      `HOST=${host} is reached from other machines, and the token is too weak: it needs at least ${TOKEN_CHARS_MINIMUM} characters, ${TOKEN_DISTINCT_CHARS_MINIMUM} of them different.`,
      remedy,
    );
};

const readConfigFile = (path: string, mayBeAbsent: boolean): ConfigFile => {
  const text = readText(path, mayBeAbsent);
  const parsed = configFile.safeParse(text === null ? {} : parseJson(path, text));
  const fault = parsed.success
    ? (namesFault(hostNamesOf(parsed.data), aliasesOf(parsed.data)) ?? letterCaseFault(parsed.data))
    : null;
  if (parsed.success && fault === null) return parsed.data;
  if (parsed.success)
    throw new StartProblem(
      `${path} names a repository in two ways.`,
      `${fault} Give each name to one repository.`,
    );
  throw new StartProblem(
    `${path} contains invalid settings.`,
    `${faultLines(parsed.error).join('\n')}\ndocs/reference/settings.md lists all settings.`,
  );
};

const readText = (path: string, mayBeAbsent: boolean): string | null => {
  try {
    // Windows editors start a file with a byte order mark.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = codeOf(error);
    // A data folder that is a file, or that allows no access, is reported where the folder is created.
    if (mayBeAbsent && (code === 'ENOENT' || code === 'ENOTDIR' || isShutIn(path))) return null;
    const readable = 'make the file readable for the user that runs the server';
    throw new StartProblem(
      `The configuration file ${path} cannot be read (${code ?? String(error)}).`,
      mayBeAbsent
        ? `Check that it is a file and ${readable}, or name another one in MQ_CONFIG.`
        : `Correct MQ_CONFIG, or ${readable}.`,
      { cause: error },
    );
  }
};

/** True if the folder denies access to the file. */
const isShutIn = (path: string): boolean => {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === 'EACCES';
  }
};

const parseJson = (path: string, text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    refuseRepeatedKey(path, text);
    return value;
  } catch (error) {
    if (error instanceof StartProblem) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new StartProblem(
      `${path} is not JSON: ${said}.`,
      'Correct the file; comments and trailing commas are not JSON.',
      {
        cause: error,
      },
    );
  }
};

/** JSON.parse would silently take the last of two values. */
const refuseRepeatedKey = (path: string, text: string): void => {
  const key = repeatedKey(text);
  if (key === null) return;
  throw new StartProblem(
    `${path} has the key ${key.join(' → ')} twice.`,
    'Keep one of the two; only the last would count.',
  );
};

/** A wrong name is reported with the fault of its own schema, and not as a wrong key. */
const faultLines = (error: z.ZodError): string[] =>
  error.issues.map((issue) => {
    const ofName = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
    const at = issue.path.map(String).join(' → ');
    return at === '' ? issue.message : `${at}: ${ofName ?? issue.message}`;
  });
