import { command, objectOf } from '../command.js';
import { completionScript, type Shell, shells } from '../completion-scripts.js';

export const completion = command<object, { readonly shell: string; readonly script: string }>({
  words: 'completion',
  summary: 'Print the completion script of a shell.',
  parameters: [{ name: '<shell>', description: shells.join(', ') }],
  examples: [
    'source <(mq completion bash)',
    'mq completion zsh > ~/.zfunc/_mq',
    'mq completion fish > ~/.config/fish/completions/mq.fish',
  ],
  schema: objectOf({ shell: { enum: [...shells] }, script: { type: 'string' } }),
  run: async ({ args: [shell = ''] }) => {
    const { commands } = await import('../commands.js');
    return { shell, script: completionScript(shell as Shell, commands) };
  },
  text: ({ script }) => script,
  isBare: true,
});
