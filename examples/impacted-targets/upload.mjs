// Tells the merge queue what a pull request touches: the folders of the files that it changes. Plain Node and git.
// node upload.mjs --repo acme/widgets --branch main --pr 41 [--host local] [--base origin/main]
// with MQ_URL and MQ_TOKEN in the environment, in a checkout of the head of the pull request.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    repo: { type: 'string' },
    branch: { type: 'string', default: 'main' },
    pr: { type: 'string' },
    host: { type: 'string', default: 'local' },
    base: { type: 'string' },
  },
});
const { MQ_URL, MQ_TOKEN } = process.env;
const [owner, name] = (values.repo ?? '').split(/\/(?=[^/]*$)/);
if (!MQ_URL || !MQ_TOKEN || !owner || !name || !values.pr) {
  console.error('Needs MQ_URL and MQ_TOKEN in the environment, --repo owner/name and --pr number.');
  process.exit(2);
}

const giveUp = (message) => {
  console.error(message);
  process.exit(1);
};

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }).replace(/\n$/, '');

/** What is a part of your repository you know best: here, each package is one, and each other folder. */
const targetOf = (path) => /^(packages\/[^/]+|[^/]+)\//.exec(path)?.[1];

const head = git('rev-parse', 'HEAD');
const base = values.base ?? `origin/${values.branch}`;
const changedSince = () => {
  try {
    return git('diff', '--name-only', '-z', '--no-renames', `${base}...${head}`).split('\0').filter(Boolean);
  } catch {
    return giveUp(
      `Cannot tell what changed since ${base}: fetch it, with enough history, or name another --base.`,
    );
  }
};
const changed = changedSince();
const targets = changed.map(targetOf);
// A file of the root, such as a lockfile or the configuration of the build, may change everything.
const impactedTargets = targets.includes(undefined) ? 'ALL' : [...new Set(targets)];

const response = await fetch(`${MQ_URL}/v1/setImpactedTargets`, {
  method: 'POST',
  headers: { 'x-api-token': MQ_TOKEN, 'content-type': 'application/json' },
  body: JSON.stringify({
    repo: { host: values.host, owner, name },
    targetBranch: values.branch,
    pr: { number: Number(values.pr), sha: head },
    impactedTargets,
  }),
}).catch((error) =>
  giveUp(
    `${MQ_URL} cannot be reached: ${error.cause?.message ?? error.message}. Check MQ_URL and the server.`,
  ),
);
console.log(response.status, await response.text());
process.exit(response.ok ? 0 : 1);
