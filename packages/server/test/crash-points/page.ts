import type { Crashed } from './crash.js';
import { boundaries, effects } from './points.js';

const secondsOf = ({ faults, quietMs }: Crashed): string =>
  faults.length === 0 ? `✔ ${(quietMs / 1_000).toFixed(1)} s` : `✖ ${faults.join('; ')}`;

/** The page of a run over all points. */
export const crashPage = (
  rows: readonly { readonly pglite: Crashed; readonly postgres: Crashed }[],
): string => `# Crash points

What happens when a process is ended by \`kill -9\` at the worst moment: once at each point where an effect on the code host
can be cut off, with real processes, a real git repository, and a store on PGlite and on PostgreSQL. Made by

\`\`\`
npm run crash-points -- --page docs/evidence/crash-points.md
\`\`\`

Each time four pull requests are submitted: one that passes, one whose tests fail, one that passes behind it, and one that is
cancelled while its tests run. The process kills itself at the point; another one is started on the same repository and store,
and runs until nothing is left to do. Then all of this has to hold: every submission has come to its end; the branch holds both
changes that passed, once each and in order, and nothing else; the receipts are a whole chain that plain git bears out; no
candidate, no effect and no running check is left. The time is that from the start of the second process until all was quiet, the
tests of the pull requests included. On PostgreSQL what was being carried out is taken up when its lease of 15 s has run out;
on PGlite, which one process has for itself, at once.

| Effect | | Point | PGlite | PostgreSQL |
|---|---|---|---|---|
${rows
  .map(({ pglite, postgres }) => {
    const { effect, boundary } = pglite.point;
    const { number, what } = effects[effect];
    return `| ${number} | ${what} | ${boundary}: ${boundaries[boundary]} | ${secondsOf(pglite)} | ${secondsOf(postgres)} |`;
  })
  .join('\n')}

The numbers are those of the catalogue of external effects. Not in this table, because the git host has no such effect: opening
a pull request for tests (E2), posting a status (E3), the host's own merge call (E7), comments (E9); and outgoing webhooks (E11),
which are not there yet. A sample of the points is part of the tests of each change.
`;
