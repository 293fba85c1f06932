import type { AnyCommand } from './command.js';
import { exitCodes } from './exit-codes.js';
import { CliError } from './failure.js';
import { globalFlags } from './global-flags.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Node {
  /** '' for the root, `queue`, `queue pause`. */
  readonly words: string;
  readonly next: readonly { readonly word: string; readonly summary: string }[];
  readonly flags: readonly { readonly name: string; readonly description: string }[];
}

const flagsOf = (command: AnyCommand) =>
  [...(command.flags ?? []), ...globalFlags].map(({ flags, description }) => ({
    name: flags.split(' ')[0] ?? '',
    description,
  }));

/** What may follow each beginning of a command line. */
const nodesOf = (commands: readonly AnyCommand[]): readonly Node[] => {
  const groups = new Map<string, Map<string, string>>([['', new Map()]]);
  for (const { words, summary } of commands) {
    const [first = '', second] = words.split(' ');
    if (second === undefined) groups.get('')?.set(first, summary);
    else {
      groups.get('')?.set(first, `${first} …`);
      groups.set(first, (groups.get(first) ?? new Map<string, string>()).set(second, summary));
    }
  }
  const inner = [...groups].map(([words, next]) => ({
    words,
    next: [...next].map(([word, summary]) => ({ word, summary })),
    flags: [],
  }));
  return [
    ...inner,
    ...commands.map((command) => ({ words: command.words, next: [], flags: flagsOf(command) })),
  ];
};

const choicesOf = ({ next, flags }: Node): string =>
  [...next.map(({ word }) => word), ...flags.map(({ name }) => name)].join(' ');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const bash = (nodes: readonly Node[]): string => `# bash completion of mq
_mq() {
  local path='' word count=0 index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in -*) continue ;; esac
    if ((count < 2)); then
      case "\${path:+$path }$word" in
${nodes
  .filter(({ words }) => words !== '')
  .map(({ words }) => `        ${quoted(words)}) path=${quoted(words)}; ((count++)) ;;`)
  .join('\n')}
      esac
    fi
  done
  local choices=''
  case "$path" in
${nodes.map((node) => `    ${quoted(node.words)}) choices=${quoted(choicesOf(node))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mq mq
`;

const zsh = (nodes: readonly Node[]): string => `#compdef mq
# zsh completion of mq
_mq() {
  local path='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path:+$path }$word" in
${nodes
  .filter(({ words }) => words !== '')
  .map(({ words }) => `      ${quoted(words)}) path=${quoted(words)} ;;`)
  .join('\n')}
    esac
  done
  local -a choices
  case "$path" in
${nodes
  .map(({ words, next, flags }) => {
    const all = [
      ...next.map(({ word, summary }) => [word, summary]),
      ...flags.map(({ name, description }) => [name, description]),
    ];
    const items = all.map(([name = '', text = '']) => quoted(`${name.replaceAll(':', '\\:')}:${text}`));
    return `    ${quoted(words)}) choices=(${items.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  _describe mq choices
}
compdef _mq mq
`;

const fish = (nodes: readonly Node[]): string => {
  const condition = (words: string, hasNext: boolean): string => {
    const parts = words.split(' ').filter((word) => word !== '');
    const seen = parts.map((word) => `__fish_seen_subcommand_from ${word}`);
    return hasNext && parts.length === 0 ? '__fish_use_subcommand' : seen.join('; and ');
  };
  const lines = nodes.flatMap(({ words, next, flags }) => [
    ...next.map(
      ({ word, summary }) =>
        `complete -c mq -f -n ${quoted(condition(words, true))} -a ${word} -d ${quoted(summary)}`,
    ),
    ...flags.map(
      ({ name, description }) =>
        `complete -c mq -n ${quoted(condition(words, false))} -l ${name.slice(2)} -d ${quoted(description)}`,
    ),
  ]);
  return `# fish completion of mq\n${lines.join('\n')}\n`;
};

const scripts: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = { bash, zsh, fish };

export const completionScript = (shell: Shell, commands: readonly AnyCommand[]): string => {
  if (!Object.hasOwn(scripts, shell))
    throw new CliError(
      'SHELL_UNKNOWN',
      `There is no completion for ${JSON.stringify(shell)}.`,
      exitCodes.wrongUse,
      `It is one of ${shells.join(', ')}.`,
    );
  return scripts[shell](nodesOf(commands));
};
