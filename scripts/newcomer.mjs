import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './machine.mjs';

// Follows the first pages as a newcomer does, in a fresh clone with an empty home folder and an empty npm cache, and
// prints a table of the times: node scripts/newcomer.mjs. Needs a registry that npm can reach.

const world = mkdtempSync(join(tmpdir(), 'mq-newcomer-'));
const clone = join(world, 'mq');
/** @type {string[]} */
const rows = [];

/** No configuration of git or npm, no cache, and none of the variables of this process that name one. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|node_options|git_|mq_|home$)/i.test(name)),
  ),
  ...{ HOME: join(world, 'home'), GIT_CONFIG_NOSYSTEM: '1', PORT: process.env.PORT ?? '8787' },
};

/** @typedef {{ output: string, seconds: number, silence: number, exitCode: number | null }} Result */

/**
 * Runs a command until it ends, or until it has printed `words`.
 * @param {string} cwd @param {string} command @param {RegExp | null} [words]
 * @returns {Promise<Result & { end: () => Promise<number> }>}
 */
function run(cwd, command, words = null) {
  const startedMs = Date.now();
  let output = '';
  let lastMs = startedMs;
  let silenceMs = 0;
  const child = spawn('bash', ['-ec', command], { cwd, env, detached: true });
  const closed = new Promise((done) => child.on('close', done));
  const seconds = (/** @type {number} */ ms) => Math.round(ms / 100) / 10;
  const end = async () => {
    const askedMs = Date.now();
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await closed;
    return seconds(Date.now() - askedMs);
  };
  return new Promise((done) => {
    const finish = (/** @type {number | null} */ exitCode) =>
      done({ output, seconds: seconds(Date.now() - startedMs), silence: seconds(silenceMs), exitCode, end });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        silenceMs = Math.max(silenceMs, Date.now() - lastMs);
        lastMs = Date.now();
        output += text;
        if (words?.test(output)) finish(null);
      });
    void closed.then((code) => finish(/** @type {number | null} */ (code)));
  });
}

/** @param {string} page @param {string} language @param {string} [section] */
function blocks(page, language, section = '') {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const from = text.indexOf(section);
  const found = text.slice(from).matchAll(/^```(\w+)\n([\s\S]*?)^```/gm);
  return [...found].flatMap(([, of, code = '']) => (of === language ? [code] : []));
}

/** @param {string} step @param {Result} result @param {RegExp} wanted */
function note(step, { output, seconds, silence }, wanted) {
  const [seen] = wanted.exec(output) ?? [];
  rows.push(`| ${step} | ${seconds} s | ${silence} s | ${seen ?? '✖ not seen'} |`);
  console.error(rows.at(-1));
  if (seen === undefined) console.error(output.slice(-2000));
}

async function toFirstMerge() {
  note('`git clone`', await run(world, `git clone --progress ${ROOT} mq`), /done/);
  const server = await run(clone, 'npm start', /first-merge\.md/);
  note('`npm start`: install, build, start', server, /mq is running/);
  const install = /Installed in .*/.exec(server.output)?.[0] ?? '';
  const build = /Built in .*/.exec(server.output)?.[0] ?? '';
  rows.push(`| – of that | | | ${install} ${build} |`);
  const [, token = ''] = /Token {3}(\S+)/.exec(server.output) ?? [];
  const commands = blocks('docs/tutorial/first-merge.md', 'bash')
    .join('')
    .replaceAll('/home/you/mq', clone)
    .replace('http://127.0.0.1:8787', `http://127.0.0.1:${env.PORT}`)
    .replace('mqt_…', token);
  note('the commands of the tutorial', await run(clone, commands), /Say it louder \(#1\)/);
  rows.push(`| Ctrl-C | ${await server.end()} s | | |`);
}

async function toEmbedded() {
  note('`npm run pack`', await run(clone, 'npm run pack'), /mq-core\.tgz/);
  const [install = '', repository = '', start = ''] = blocks('README.md', 'sh', '\n## Embed it');
  const embed = join(world, 'embed');
  mkdirSync(embed);
  note('README, *Embed it*: install', await run(embed, install), /added \d+ packages/);
  writeFileSync(join(embed, 'embed.ts'), blocks('README.md', 'ts', '\n## Embed it')[0] ?? '');
  note('a repository with a pull request', await run(embed, repository), /#1/);
  note('`npx tsx embed.ts`', await run(embed, start), /#1 merged/);
}

async function toFirstTest() {
  const page = 'docs/how-to/tell-a-story.md';
  const [install = '', start = ''] = blocks(page, 'sh');
  const stories = join(world, 'stories');
  mkdirSync(stories);
  note('*Tell a story*: install', await run(stories, install), /added \d+ packages/);
  writeFileSync(join(stories, 'line.test.ts'), blocks(page, 'ts')[0] ?? '');
  note('`npx vitest run`', await run(stories, `NO_COLOR=1 ${start}`), /1 passed/);
}

mkdirSync(join(world, 'home'));
try {
  await toFirstMerge();
  await toEmbedded();
  await toFirstTest();
} finally {
  console.log(['| Step | Took | Longest silence | Seen |', '|---|---|---|---|', ...rows].join('\n'));
  rmSync(world, { recursive: true, force: true });
}
