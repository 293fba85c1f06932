import { command, type Schemas, schemaNamed } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { counted, paint, type Style } from '../text/style.js';
import { duration } from '../text/time.js';
import { wrapped } from '../text/width.js';

type Diagnosis = Schemas['DiagnoseAnswer'];

interface Result extends Diagnosis {
  /** How far the clock of this machine is ahead of the server's clock, measured at the middle of the request. */
  readonly clockAheadMs: number;
}

interface Options {
  readonly everywhere?: boolean;
  readonly fix?: boolean;
}

/** The server refuses reports whose times are further ahead. */
const CLOCK_LIMIT_MS = 60_000;
const signs = { error: '✖', warning: '!', info: '–' } as const;
const colours = { error: 'red', warning: 'yellow', info: 'dim' } as const;

const findingText = (
  { code, severity, subject, sentence, remedy }: Schemas['Finding'],
  style: Style,
): string =>
  [
    `${paint(style, colours[severity], signs[severity])} ${subject}: ${sentence} (${code})`,
    ...(remedy === '' ? [] : [`  ${remedy}`]),
  ]
    .map((line) => wrapped(line, style.width, '  '))
    .join('\n');

const clockLine = ({ clockAheadMs: ms }: Result): string =>
  Math.abs(ms) <= CLOCK_LIMIT_MS
    ? '✔ The clocks agree.'
    : `! The clock of this machine is ${duration(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} that of the server. Set one of them: times ahead of the server's are refused.`;

const findingsText = ({ findings, queues, isComplete }: Result, style: Style): readonly string[] => {
  if (findings === null)
    return [
      '– Findings about the queues and the server are not shown: they need a token with the scope `admin`.',
    ];
  const seen = `${counted(queues ?? 0, 'queue')} checked${isComplete ? '' : '; there are more'}`;
  if (findings.length === 0) return [`✔ Nothing is wrong: ${seen}.`];
  const repairable = findings.filter((one) => one.isRepairable === true).length;
  return [
    ...findings.map((one) => findingText(one, style)),
    `${counted(findings.length, 'finding')}, ${seen}.`,
    ...(repairable === 0 ? [] : [`The server can fix ${repairable} of these itself: \`mq doctor --fix\`.`]),
  ];
};

/** The exit code of the most severe finding. Findings of severity `info` do not count. */
export const doctorCode = ({ findings }: Pick<Result, 'findings'>): ExitCode => {
  const severities = new Set((findings ?? []).map(({ severity }) => severity));
  if (severities.has('error')) return exitCodes.errorsFound;
  return severities.has('warning') ? exitCodes.warningsFound : exitCodes.done;
};

export const doctor = command<Options, Result>({
  words: 'doctor',
  summary: 'Find present and coming problems of the server, its queues and your access to them.',
  flags: [
    {
      flags: '--everywhere',
      description: 'every queue that your token may read, even if you are in a checkout',
    },
    {
      flags: '--fix',
      description: 'first fix what the server can set at code hosts, such as webhooks',
    },
  ],
  examples: ['mq doctor', 'mq doctor --everywhere', 'mq doctor --fix'],
  schema: schemaNamed('DiagnoseAnswer'),
  run: async ({ options, io, server, repo, checkout }) => {
    const { client } = await server();
    const isHere = options.everywhere !== true && (await checkout())?.repo != null;
    const askedAt = io.now();
    const where = isHere ? { repo: await repo() } : {};
    const repair = options.fix === true ? { repair: true } : {};
    const found = await client.diagnose({ ...where, ...repair }, { signal: io.interrupted });
    return { ...found, clockAheadMs: (askedAt + io.now()) / 2 - Date.parse(found.time) };
  },
  text: (result, style) => {
    const { version, token } = result;
    const lines = [
      `✔ The server answers${version === null ? '' : ` (version ${version})`}.`,
      clockLine(result),
      `✔ Your token "${token.name}" has the scopes ${token.scopes.join(', ')}.`,
    ];
    return [...lines.map((line) => wrapped(line, style.width, '  ')), ...findingsText(result, style)].join(
      '\n',
    );
  },
  exitCode: doctorCode,
});
