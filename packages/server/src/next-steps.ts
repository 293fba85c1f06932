export interface Walkthrough {
  /** The address of the server. */
  readonly url: string;
  /** A shell word; may be a variable. */
  readonly token: string;
  /** The bare repository to create, as a shell word. */
  readonly repository: string;
  /** What runs the command `mq`, as shell words. */
  readonly command: string;
}

export interface Step {
  readonly title: string;
  readonly commands: string;
}

/** The first commands to try, in order, for one bash shell. */
export const nextSteps = (walk: Walkthrough): readonly Step[] => {
  return [
    {
      title: 'Set the server, its token and the path of mq in this shell.',
      commands: [`export MQ_URL=${walk.url} MQ_TOKEN=${walk.token}`, `mq() { ${walk.command} "$@"; }`].join(
        '\n',
      ),
    },
    {
      title: 'Make a bare repository with one check: a command that tests what is to be merged.',
      commands: [
        `REPO=${walk.repository}`,
        'git init --bare --quiet --initial-branch=main "$REPO"',
        `git -C "$REPO" config mq.check.unit.command 'sh test.sh'`,
      ].join('\n'),
    },
    {
      title: 'Push a first commit, and a branch with a change.',
      commands: [
        'WORK="$(mktemp -d)"',
        'git clone --quiet "$REPO" "$WORK" 2>/dev/null && cd "$WORK" && git checkout -q -B main',
        'git config user.name Ada && git config user.email ada@example.org',
        `echo 'grep -qi hello greeting.txt' > test.sh && echo hello > greeting.txt`,
        `git add . && git commit -qm 'Say hello' && git push -q origin main`,
        `git checkout -qb louder && echo HELLO > greeting.txt && git commit -qam 'Say it louder' && git push -q origin louder`,
      ].join('\n'),
    },
    {
      title: 'Open a pull request for the branch.',
      commands: 'mq pr open',
    },
    {
      title: 'Create a queue for main and submit the pull request.',
      commands: 'mq queue create\nmq submit',
    },
    {
      title: 'See it in the queue, and a few seconds later on main.',
      commands: 'mq status\nmq wait\ngit -C "$REPO" log --oneline main',
    },
  ];
};

/** Quotes a text as one shell word. */
export const quoted = (text: string): string =>
  /^[A-Za-z0-9_/.:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
