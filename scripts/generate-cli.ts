import {
  type AnyCommand,
  commands,
  exitCodeSentences,
  exitCodes,
  type Flag,
  globalFlags,
  jsonSchemas,
} from '@mq/cli';

// Writes docs/reference/cli.md and docs/reference/cli.schema.json from the commands of @mq/cli.

const INTRODUCTION = `# The command mq

*Made by \`npm run generate\` from the commands of \`@mq/cli\`; do not edit it by hand.*

[Use the command line](../how-to/use-the-command-line.md) begins with how to install it and log in.

## Every command`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const flagRow = ({ flags, description, choices }: Flag): string =>
  `| \`${flags}\` | ${cell(description)}${choices === undefined ? '' : `: ${choices.map((one) => `\`${one}\``).join(', ')}`} |`;

const flagTable = (flags: readonly Flag[]): string =>
  ['| Option | |', '| --- | --- |', ...flags.map(flagRow)].join('\n');

const usageOf = ({ words, parameters = [], flags = [] }: AnyCommand): string =>
  ['mq', words, ...parameters.map(({ name }) => name), ...(flags.length === 0 ? [] : ['[options]'])].join(
    ' ',
  );

const sectionOf = (command: AnyCommand): string => {
  const { words, summary, parameters = [], flags = [], examples = [] } = command;
  const rows = parameters.map(({ name, description }) => `- \`${name}\`: ${cell(description)}`);
  return [
    `## mq ${words}`,
    summary,
    `\`\`\`sh\n${[usageOf(command), ...examples.map((one) => `# ${one}`)].join('\n')}\n\`\`\``,
    ...(rows.length === 0 ? [] : [rows.join('\n')]),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
  ].join('\n\n');
};

const exitTable = (): string =>
  [
    '| Code | Meaning |',
    '| --- | --- |',
    ...Object.entries(exitCodes).map(
      ([name, code]) => `| ${code} | ${cell(exitCodeSentences[name as keyof typeof exitCodes])} |`,
    ),
  ].join('\n');

const JSON_TEXT = `Every command takes \`--json\` and prints one object: \`server\`, \`repo\`, \`targetBranch\` and \`pr\` (what it was about, given or
guessed; null if it needs none), and \`result\`, mostly the answer of the operation. If it fails, \`error\` stands in place of \`result\`, with
a stable \`code\`, \`message\`, \`remedy\`, \`status\` and \`requestId\`. [cli.schema.json](cli.schema.json) has the schema of each. \`mq watch --json\` prints a line
for each change, \`{"seen": …}\`, and the object at its end.`;

/** The pages of the command line, by their path from the root. */
export const cliFiles = (): Readonly<Record<string, string>> => ({
  'docs/reference/cli.md': `${[
    INTRODUCTION,
    flagTable(globalFlags),
    '## Exit codes',
    exitTable(),
    '## JSON',
    JSON_TEXT,
    ...commands.map(sectionOf),
  ].join('\n\n')}\n`,
  'docs/reference/cli.schema.json': `${JSON.stringify(jsonSchemas(commands), null, 2)}\n`,
});
