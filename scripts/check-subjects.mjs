import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { ROOT } from './machine.mjs';

const MAXIMUM_CHARS = 72;

/** Commits up to this one are not checked, because they are older than the check. */
const CHECKED_AFTER = '752668e3b36d3d78290dddfe775e4e63de0e78d7';

/** Imperatives that look like other forms of a verb. */
const IMPERATIVES = new Set([
  ...['bring', 'ping', 'ring', 'string'],
  ...['bleed', 'embed', 'exceed', 'feed', 'need', 'proceed', 'seed', 'shed', 'shred', 'speed', 'succeed'],
  ...['alias', 'bias', 'focus'],
]);

/** The fault of a commit subject; null if it has none. @param {string} subject @returns {string | null} */
export function subjectFault(subject) {
  if (subject.length > MAXIMUM_CHARS)
    return `has ${subject.length} characters. Keep it to ${MAXIMUM_CHARS}, and put the rest into the body.`;
  const [, first] = /^[a-z0-9@][\w@/., -]*: (\S+)/.exec(subject) ?? [];
  if (first === undefined)
    return 'names no component. Write "component: what it does", as in "judge: skip neutral checks".';
  const verb = first.toLowerCase().replace(/\W+$/, '');
  if (IMPERATIVES.has(verb)) return null;
  return /(ed|ing|[^s]s)$/.test(verb)
    ? `does not start with an imperative: "${first}". Write "add", not "adds", "added" or "adding".`
    : null;
}

/** @param {readonly string[]} args */
const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** Ids and subjects since `CHECKED_AFTER`; null if there is no git history that contains it. */
function subjectsSince() {
  try {
    const log = git('log', '--no-merges', '--format=%h %s', `${CHECKED_AFTER}..HEAD`);
    return log === '' ? [] : log.split('\n');
  } catch {
    return null;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const commits = subjectsSince();
  const faults = (commits ?? []).flatMap((commit) => {
    const [id = '', ...rest] = commit.split(' ');
    const fault = subjectFault(rest.join(' '));
    return fault === null ? [] : [`${id} "${rest.join(' ')}" ${fault}`];
  });
  for (const fault of faults) console.error(fault);
  if (commits === null) console.log('No git history to check.');
  else console.log(`${commits.length} commit subjects checked, ${faults.length} with faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
