import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  capabilitiesOf,
  chainFaults,
  defaultSettings,
  errorCodes,
  estimateObstacles,
  type FindingKind,
  type HostCapability,
  hostCapabilities,
  moves,
  nextSteps,
  nextStepsOtherwise,
  type QueueSettings,
  queueFindings,
  queueSettings,
  queueStatuses,
  reasons,
  rebaseSteps,
  submissionStates,
  tokenFindings,
  waits,
  webhookFindings,
} from '@mq/core';
import { gitFaults, gitHost } from '@mq/host-git';
import { problemStatuses } from '@mq/http';
import { z } from 'zod';
import { bucketSeconds, catalogue } from '../packages/core/src/metrics/catalogue.js';
import { giteaFindings, giteaHost } from '../packages/host-gitea/src/index.js';
import {
  COUNTED_QUEUES_LIMIT,
  configFile,
  counterCatalogue,
  environmentVariables,
  OTHERS,
  serverFindings,
} from '../packages/server/src/index.js';

// Writes docs/reference/{settings,states,reasons,errors,metrics,receipt-faults,hosts}.md from the tables in the code:
//   npx tsx --conditions=mq-source scripts/generate-reference.ts

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const note = '*Generated from the code by `npm run generate`; do not edit.*';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string): string => `\`${text}\``;
const page = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

const typeOf = (schema: Schema): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.type === 'integer' || schema.type === 'number')
    return schema.maximum === undefined ? 'integer' : `integer ${schema.minimum ?? 0}–${schema.maximum}`;
  if (schema.type === 'array')
    return `list of ${schema.items?.type === 'object' ? 'objects' : 'texts'}${schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`}`;
  if (schema.type === 'string')
    return schema.maxLength === undefined ? 'text' : `text of at most ${schema.maxLength} characters`;
  return schema.type ?? 'anything';
};

/** Whether a rule reads it, by the sources: the page cannot be out of date. */
const isInEffect = (name: string): boolean => {
  const folders = ['decide', 'model', 'presence', 'host-commands', 'engine'];
  return folders.some((folder) => {
    const path = `${ROOT}/packages/core/src/${folder}`;
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .some((file) => {
        const text = readFileSync(`${path}/${file}`, 'utf8');
        return new RegExp(
          `settings\\.${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\} = [\\w.]*settings|Pick<QueueSettings,[^>]*'${name}'`,
        ).test(text);
      });
  });
};

const schemaOf = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;

/** The fields of an object, those of objects inside included, by their paths. */
const fieldsOf = (schema: Schema, at = ''): (readonly [string, Schema])[] => {
  const inside = Object.entries(schema.properties ?? {}).flatMap(
    ([name, field]): (readonly [string, Schema])[] => {
      const path = at === '' ? name : `${at}.${name}`;
      return [...(field.description === undefined ? [] : [[path, field] as const]), ...fieldsOf(field, path)];
    },
  );
  const each = schema.type === 'array' && schema.items !== undefined ? fieldsOf(schema.items, `${at}[]`) : [];
  const named =
    typeof schema.additionalProperties === 'object' && schema.additionalProperties.properties !== undefined
      ? fieldsOf(schema.additionalProperties, `${at}.<owner/name>`)
      : [];
  return [...inside, ...each, ...named];
};

const settingsPage = (): string => {
  const properties = schemaOf(queueSettings).properties ?? {};
  return page(
    '# Settings',
    note,
    '## The environment of the server',
    table(
      ['Variable', 'Default', 'Meaning'],
      Object.entries(environmentVariables).map(([name, one]) => [code(name), one.default, one.meaning]),
    ),
    'An empty variable counts as absent, but an empty `DATABASE_URL` is a fault. Others that begin with `MQ_` are passed over and named in a warning of the log, except for those that Kubernetes sets for a Service named mq. A setting that the server cannot use keeps it from starting, with every fault listed.',
    '## The configuration file',
    '`mq.config.json` in the data folder, or the file that `MQ_CONFIG` names: one JSON object. Everything in it is optional, and a name that it does not know is a fault. It is read at start-up.',
    table(
      ['Field', 'Type', 'Meaning'],
      fieldsOf(schemaOf(configFile)).map(([path, field]) => [
        code(path),
        typeOf(field),
        field.description ?? '',
      ]),
    ),
    'An example:',
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    'Checks can be kept with a repository instead, in its git config: `git config mq.check.unit.command "npm test"` and `mq.check.unit.timeoutSeconds`.',
    '## The settings of a queue',
    'Written by `createQueue` and `updateQueue`. Where *in effect* says "not yet", the setting is checked, stored and answered, and changes nothing until the feature that it belongs to comes.',
    table(
      ['Setting', 'Type', 'Default', 'In effect', 'Meaning'],
      Object.entries(properties).map(([name, setting]) => [
        code(name),
        typeOf(setting),
        code(JSON.stringify(defaultSettings[name as keyof QueueSettings])),
        isInEffect(name) ? 'yes' : 'not yet',
        setting.description ?? '',
      ]),
    ),
    `A queue is \`running\`, \`paused\` or \`draining\`, as its owner asks with \`state\`, and enters \`${queueStatuses[3]}\` by itself; see [states](states.md).`,
  );
};

const example = {
  repositories: {
    'acme/widgets': { checks: [{ name: 'unit', command: 'npm ci && npm test', timeoutSeconds: 900 }] },
    'acme/site': { path: '/srv/git/site.git' },
  },
  ci: { concurrency: 4 },
};

const stateMeanings: Readonly<Record<(typeof submissionStates)[number], string>> = {
  not_ready: 'It was submitted and is not ready to be merged.',
  pending: 'It is in line and waits for its turn.',
  testing: 'It is in a test run.',
  tests_passed: 'Its tests passed; it lands when those ahead of it are decided.',
  pending_failure:
    'Its tests failed. It fails if it is the culprit, which is known once those ahead of it are decided.',
  merged: 'It is on the target branch.',
  failed: 'It left the queue because of a failure.',
  cancelled: 'It was removed from the queue.',
};

const queueMeanings: Readonly<Record<(typeof queueStatuses)[number], string>> = {
  running: 'Tests start and what passed lands.',
  paused: 'Nothing starts and nothing lands. Runs in flight finish, and their verdicts are kept.',
  draining: 'Nothing new starts testing; what is in a run finishes and lands.',
  switching_modes: 'As draining, until what is in a run has settled; then the other mode is entered.',
};

const statesPage = (): string =>
  page(
    '# States',
    note,
    '## A pull request in a queue',
    'A stay from submit to one of the last three states is an *attempt*. A new submit opens another; nothing else leads out of them.',
    table(
      ['State', 'Meaning', 'Goes on to'],
      submissionStates.map((state) => [
        code(state),
        stateMeanings[state],
        moves[state].length === 0 ? 'nothing' : moves[state].map(code).join(', '),
      ]),
    ),
    '## A queue',
    table(
      ['State', 'Meaning'],
      queueStatuses.map((status) => [code(status), queueMeanings[status]]),
    ),
    'A submit is accepted in every state of the queue, and waits where it has to. Why a pull request is in its state, and what it waits for: [reasons](reasons.md).',
  );

const chainWords = {
  goes_on: 'goes on',
  ends: 'ends here',
  needs_action: 'ends here: a person has to act',
} as const;

const reasonsPage = (): string =>
  page(
    '# Reasons',
    note,
    '## Why a pull request came into its state',
    'In `reason` of a pull request, with a `detail` where there is more to say, and in its timeline.',
    table(
      ['Code', 'Sentence'],
      Object.entries(reasons).map(([name, sentence]) => [code(name), sentence]),
    ),
    '## What a pull request waits for',
    'In `waitingFor` of a pull request in the queue: the nearest cause, and under `causes` the chain, in which each cause explains the one before it. A chain ends with a root cause: a running check, a time, or a person who has to act. `remedy` says what helps; if the chain ends with a person who has to act, it says what they have to do. How to read it: [find out why it waits](../how-to/find-out-why-it-waits.md).',
    'Names in braces are filled in with current names, numbers and times; `{it}` is the waiting pull request, and `{deadline}` the time limit, if there is one.',
    table(
      ['Code', 'Sentence', 'What would change it', 'The chain'],
      Object.entries(waits).map(([name, { sentence, remedy, chain }]) => [
        code(name),
        sentence,
        remedy,
        chainWords[chain],
      ]),
    ),
    '## What can be done after the end',
    'In `remedy` of each of the `attempts` of a pull request that has ended, by why it ended.',
    table(
      ['Code', 'What can be done'],
      [
        ...Object.entries(nextSteps).map(([name, sentence]) => [code(name), sentence]),
        ...Object.entries(nextStepsOtherwise).map(([state, sentence]) => [
          `else, ${state.replaceAll('_', ' ')}`,
          sentence,
        ]),
      ],
    ),
    'If the tests failed on top of other pull requests, `remedy` starts with one of these sentences, since the failure may not show without them. The first one is for pull requests that had merged by then, the second one for pull requests that were still to merge.',
    Object.values(rebaseSteps)
      .map((sentence) => `- ${sentence}`)
      .join('\n'),
    '## Why there is no estimate',
    'In `estimatedTimeToMerge` where its `status` is `unavailable`. What a forecast supposes: [find out when it is merged](../how-to/find-out-when-it-is-merged.md).',
    table(
      ['Code', 'Sentence'],
      Object.entries(estimateObstacles).map(([name, sentence]) => [code(name), sentence]),
    ),
  );

const httpRemedies: Readonly<Record<string, string>> = {
  MALFORMED_JSON: 'Send one JSON object in UTF-8, within the limits that the message names.',
  MALFORMED_REQUEST:
    'Send valid HTTP/1.1 with a body of exactly Content-Length bytes, and write a `%` in the path as `%25`.',
  UNAUTHORIZED: 'Send a valid token in the header `x-api-token`, or as `Authorization: Bearer`.',
  SCOPE_MISSING: 'Use a token with the scope that the answer names.',
  REPOSITORY_NOT_ALLOWED: 'Use a token for that repository.',
  CHECK_NOT_ALLOWED: 'Use a token whose `checks` include this check.',
  WEBHOOKS_NOT_KEPT: 'This service sends no webhooks. Read the event stream instead.',
  TOKENS_NOT_KEPT: 'This service does not manage tokens. Ask its operator for one.',
  PATH_NOT_FOUND: 'Correct the path.',
  METHOD_NOT_ALLOWED: 'Use the method that the header `Allow` names.',
  REQUEST_TIMEOUT: 'Send the headers within 15 seconds, and the whole request within two minutes.',
  BODY_TOO_LARGE: 'Send at most 20 MiB. Replace a longer list of impacted targets with `"ALL"`.',
  CONTENT_TYPE_NOT_SUPPORTED: 'Send `Content-Type: application/json`, not compressed.',
  EXPECTATION_FAILED: 'Remove the header `Expect`, or send `Expect: 100-continue`.',
  RATE_LIMITED: 'Wait as long as `Retry-After` says.',
  HEADERS_TOO_LARGE: 'Send at most 16 KiB of headers, including the path. Move long values into the body.',
  INTERNAL: 'Give the correlation id to the operator of the service; it is in the log.',
  OVERLOADED: 'Wait as long as `Retry-After` says.',
  UNAVAILABLE: 'The service is starting or stopping: wait as long as `Retry-After` says.',
  HANDLER_TIMEOUT:
    'It is unknown whether the request was carried out. Send it again; with the same `Idempotency-Key` it is not carried out twice.',
};

const errorsPage = (): string => {
  const remedyOf = (name: string): string => {
    const remedy = Object.hasOwn(errorCodes, name)
      ? errorCodes[name as keyof typeof errorCodes].remedy
      : httpRemedies[name];
    if (remedy === undefined) throw new Error(`${name} has no remedy`);
    return remedy;
  };
  return page(
    '# Errors',
    note,
    'Every error of the API is a [problem detail](https://www.rfc-editor.org/rfc/rfc9457) with one of these codes. A program that embeds the engine gets them as `MergeQueueError.code`. A request that is answered with an error has changed nothing, unless its row says that the outcome is unknown.',
    table(
      ['Code', 'Status', 'What to do'],
      Object.entries(problemStatuses)
        .sort(([one, low], [other, high]) => low - high || one.localeCompare(other, 'en'))
        .map(([name, status]) => [code(name), String(status), remedyOf(name)]),
    ),
  );
};

const metricsPage = (): string =>
  page(
    '# Metrics',
    note,
    '`GET /v1/getMergeQueueMetrics` answers in the Prometheus text format 0.0.4, of all queues or, with `repo` and `repoHost`, of those of one repository. It needs a token with the scope `metrics`.',
    table(
      ['Name', 'Type', 'Labels', 'Meaning'],
      Object.entries(catalogue).map(([name, family]) => [
        code(name),
        family.type,
        family.labels.map(code).join(', '),
        family.help,
      ]),
    ),
    `The buckets of the histograms are ${bucketSeconds.join(', ')} seconds. Series with \`1h\` in their names are sliding windows: \`rate()\` of them is meaningless. \`repo\` is \`owner/name\`. A pull request whose failed batch is bisected is measured under \`queue_type\` \`bisection\`, all others under \`main\`; none is measured under both.`,
    '## Counters',
    '`GET /metrics` answers counters of one process, and metrics of the process itself (`process_*`, `nodejs_*`). They begin at 0 with the process and only rise; each event is counted by the replica that committed it, so sum over replicas: `sum(rate(...))`. It needs a token with the scope `metrics`, as `Authorization: Bearer`. [Monitor](../how-to/monitor.md) says how to scrape it.',
    table(
      ['Name', 'Type', 'Labels', 'Meaning'],
      Object.entries(counterCatalogue).map(([name, family]) => [
        code(name),
        family.type,
        family.labels.map(code).join(', '),
        family.help,
      ]),
    ),
    `Queues beyond the first ${COUNTED_QUEUES_LIMIT} that a process meets are counted together, under \`${OTHERS}\`.`,
  );

const findingsPage = (): string => {
  const findings = (of: Readonly<Record<string, FindingKind>>): string =>
    table(
      ['Code', 'Severity', 'Meaning', 'What to do'],
      Object.entries(of).map(([name, { severity, meaning, remedy }]) => [
        code(name),
        severity,
        meaning,
        remedy,
      ]),
    );
  return page(
    '# Findings',
    note,
    'All findings of `POST /v1/diagnose`. Tokens with the scope `admin` get them; other tokens get only the version, the time and their own rights. Severities: `error` stops something now, `warning` will or may, `info` is worth knowing.',
    '## In a queue',
    '`mq.diagnose` of `@mq/core` finds these.',
    findings(queueFindings),
    '## In the bundled server',
    findings(serverFindings),
    '## In a code host',
    'In the bundled server, for each configured code host and for the repositories of its queues.',
    findings(giteaFindings),
    '## Limits of a token',
    'For the token that calls: its webhooks if it has the scope `webhooks`, its tokens if it has the scope `tokens`.',
    findings(tokenFindings),
    '## In a webhook',
    'For each webhook that the token may manage, if it has the scope `webhooks`.',
    findings(webhookFindings),
  );
};

const receiptFaultsPage = (): string => {
  const faults = (of: Readonly<Record<string, string>>): string =>
    table(
      ['Code', 'Meaning'],
      Object.entries(of).map(([name, meaning]) => [code(name), meaning]),
    );
  return page(
    '# Receipt faults',
    note,
    'What `mq-verify` can find in a chain of receipts. How to use it: [verify what landed](../how-to/verify-what-landed.md).',
    '## In the chain itself',
    '`verifyReceipts` of `@mq/core` finds these too.',
    faults(chainFaults),
    '## In git',
    '`verifyLandings` of `@mq/host-git` finds these too.',
    faults(gitFaults),
  );
};

const hostsPage = (): string => {
  const gitea = { url: 'https://git.example.com', token: () => '', folder: '/var/lib/mq/mirrors' };
  const git = capabilitiesOf(gitHost({ repositories: {} }));
  const hosts = [
    { always: git, configured: git },
    {
      always: capabilitiesOf(giteaHost(gitea)),
      configured: capabilitiesOf(giteaHost({ ...gitea, drafts: true })),
    },
  ];
  const offers = (name: HostCapability) =>
    hosts.map(({ always, configured }) => (always[name] ? 'yes' : configured[name] ? 'if configured' : 'no'));
  return page(
    '# Code hosts',
    note,
    'What each code host offers beyond what every queue needs. A setting about something that a host does not offer is stored and answered, and does nothing there; createQueue, and updateQueue where it changes the setting, warn of it (`SETTING_WITHOUT_EFFECT`).',
    table(
      ['Capability', 'Bare git repository', 'Gitea, Forgejo', 'Meaning'],
      Object.entries(hostCapabilities).map(([name, meaning]) => [
        code(name),
        ...offers(name as HostCapability),
        meaning,
      ]),
    ),
    'Draft pull requests at Gitea and Forgejo need `"drafts": true` at the host in `mq.config.json`: [Land pull requests of Gitea or Forgejo](../how-to/gitea.md#a-ci-that-tests-pull-requests-only).',
    'In a program, `capabilitiesOf(host)` of `@mq/core` answers the same for any host.',
  );
};

/** Each page by its path from the root. */
export const referencePages = (): Readonly<Record<string, string>> => ({
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/states.md': statesPage(),
  'docs/reference/reasons.md': reasonsPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/metrics.md': metricsPage(),
  'docs/reference/findings.md': findingsPage(),
  'docs/reference/receipt-faults.md': receiptFaultsPage(),
  'docs/reference/hosts.md': hostsPage(),
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(`${ROOT}/docs/reference`, { recursive: true });
  for (const [path, text] of Object.entries(referencePages())) {
    writeFileSync(`${ROOT}/${path}`, text);
    console.log(`${path} is written.`);
  }
}
