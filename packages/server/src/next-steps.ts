export interface Walkthrough {
  /** The address of the server. */
  readonly url: string;
  /** A shell word; may be a variable. */
  readonly token: string;
  /** The bare repository to create, as a shell word. */
  readonly repository: string;
  readonly owner: string;
  readonly name: string;
  /** The command `mq-pr` as shell words. */
  readonly pullRequestCommand: string;
}

export interface Step {
  readonly title: string;
  readonly commands: string;
}

/** The first commands to try, in order, for one bash shell. */
export const nextSteps = (walk: Walkthrough): readonly Step[] => {
  const ref = `"repo":{"host":"local","owner":"${walk.owner}","name":"${walk.name}"},"targetBranch":"main"`;
  const call = (operation: string, more = '') =>
    `curl -sS -w '\\n' "$MQ/v1/${operation}" -H "x-api-token: $TOKEN" -H 'content-type: application/json' -d '{${ref}${more}}'`;
  return [
    {
      title: 'Make a bare repository with one check: a command that tests what is to be merged.',
      commands: [
        `MQ=${walk.url} TOKEN=${walk.token}`,
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
      commands: `${walk.pullRequestCommand} open --repo "$REPO" --head louder --base main`,
    },
    {
      title: 'Create a queue for main and submit the pull request.',
      commands: [call('createQueue'), call('submitPullRequest', ',"pr":{"number":1}')].join('\n'),
    },
    {
      title: 'See it in the queue, and a few seconds later on main.',
      commands: [
        call('getQueue'),
        'for i in {1..60}; do git -C "$REPO" log main | grep -q louder && break; sleep 1; done',
        call('getSubmittedPullRequest', ',"pr":{"number":1}'),
        'git -C "$REPO" log --oneline main',
      ].join('\n'),
    },
  ];
};

/** Quotes a text as one shell word. */
export const quoted = (text: string): string =>
  /^[A-Za-z0-9_/.:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
