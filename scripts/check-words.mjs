import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {{ path: string, text: string }} TextFile path from the root, with forward slashes
 * @typedef {{ file: string, line: number, found: string, plain: string }} Finding line 0: the name of the file
 */

/**
 * Words and phrases that this project does not use, each with what to write instead. Matched in any letter case, as whole
 * words, also inside of identifiers (`letGoOf`, `let_go_of`).
 * @type {readonly (readonly [pattern: string, plain: string])[]}
 */
const WORDS = [
  ['anew', '"again", or a verb with re-'],
  ['who(m)?ever|whom', 'the thing itself: "the losing replica", "the caller"'],
  ["(?<!')nobody(?!')", '"no one" for people; else name the thing: "no pull request", "no process"'],
  ['(some|any)body', '"someone" for people; else name the thing: "another process", "a user"'],
  ['he|him|his|himself', 'the thing itself, "it" or "they"'],
  ['(of )?those who', 'the thing itself: "pull requests that …", "callers that …"'],
  ['let(s|ting)? go( of)?', '"cancel", "close", "release" or "drop"'],
  ['mend(s|ed|ing)?', '"fix"'],
  ['told', '"shown", "reported", "logged", "answered" or "documented"'],
  ['wish(es|ed|ing)?', '"effect" for what the host is asked to do; else "request"'],
  // Not the wait code of the API: `machinery`.
  ['(?<![\'"`])machinery(?![\'"`:])', '"infrastructure", or the part that you mean'],
  ['puts? together|putting together', '"build" or "combine"'],
  ['(stand|stood|step(ped)?)s? aside', '"is on hold" or "is not ready"'],
  ['makes? way|made way|making way', '"is preempted"'],
  ['(send|sent)s? back', '"requeue" for a pull request, "return" for a value'],
  ['(come|came)s? again', '"is requeued" or "is submitted again"'],
  ['of before', '"previous" or "old"'],
  ["for (nobody|no one)('s| s) sake", 'what it is for: "for cleanup"'],
  ['no more than is so', 'a number or a limit'],
  ['heed(s|ed|ing)?', '"handle"'],
  ['obey(s|ed|ing)?', '"apply"'],
  ['untrue', '"stale"'],
  ['look(s|ed|ing) into', '"bisect" for a failed batch; else "read" or "check"'],
  // Not the codes of the API: `isolation`, `isolation_retry`.
  [
    '(?<![\'"`]|transaction )isolation(?![\'"`:]| (skipped|inconclusive|limit|interrupted|retry|slot|level))',
    '"bisection"; else what is kept apart from what',
  ],
  ['parts? of (a|an|its|the) failed batch', '"prefix", or "some pull requests of the batch"'],
  ['(an?|the|its|each|every|this) trials?|trials', '"candidate"'],
  ['control runs?', '"baseline run"'],
  ['(is|are|was|were) to blame', '"is the culprit"'],
  ['front doors?|passages?', '"validation" of arguments; else the component'],
  ['having spent', 'the number and its unit: "1 min"'],
  ['would lie in', '"its parent folder"'],
  ['convict(s|ed|ing|ion)?|accused', '"culprit", "fail the culprit"'],
  ['made up', '"generated"'],
  ['a wor(d|ds) with it', 'the message'],
  ['br(ings?|ought|inging) about', '"cause" or "change"'],
  ['makes? no sense', '"is not valid"'],
  ['looks? again|looking again', '"read again", "refresh" or "retry"'],
  ['untold', '"unsupported", "unreported" or "not shown"'],
  ['hopeless', 'what cannot succeed, and why'],
  [
    '(?<!there )(is|are) no (JSON|valid|number|name|address|folder|list|time|setting|priority|command|option|error|success|part|object|date)',
    '"is not JSON", "is not a number"',
  ],
  // Not SQL: `set owner = null where …`.
  [
    '(?<!= )(null|undefined|absent|true|false|none|only|also) where',
    '"if": "null if there is none", "even if"',
  ],
  ['(the|this|an|whole) interface', '"the API"; for code, "port" or the name of the type'],
  ['(is|are|was|were) tried again', '"retry": "the queue retries it"'],
];

const PATTERNS = [
  ...WORDS.map(([pattern, plain]) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'), plain })),
  {
    pattern: /(?<=^\W*|[.:;] )(?:Of )?[Ww]ho(?:se)? (?!are you)[^?]*$/g,
    plain: 'a sentence that starts with its subject: "A batch that …", "The process that …"',
  },
  {
    pattern:
      /(?<=\b(?:test|it)(?:\.\w+)?\(')(?:does not|finally|says|shows|leaves|keeps|asks|lands|suggests) .*$/g,
    plain: 'a title that starts with its subject: "the wait shows …"',
  },
];
const ANY = new RegExp(PATTERNS.map(({ pattern }) => pattern.source).join('|'), 'i');

const CHECKED = new Set([
  '.ts',
  '.tsx',
  '.css',
  '.mjs',
  '.js',
  '.json',
  '.md',
  '.yaml',
  '.yml',
  '.sql',
  '.sh',
  '.conf',
  '.service',
]);

/** Not text of this project, or the list itself. */
const LEFT_OUT = [
  'pnpm-lock.yaml',
  'packages/http/contract/package-lock.json',
  'scripts/check-words.mjs',
  'scripts/check-words.test.ts',
  'scripts/words-not-yet.json',
];
const LEFT_OUT_FOLDERS = ['node_modules', 'dist', 'tarballs'];

/** Max findings shown if no file or folder is given. */
const SHOWN_LIMIT = 40;

const DOT_FOLDERS = ['.changeset', '.ci', '.github'];

/** Names of files that say nothing about their content. @type {readonly string[]} */
const VAGUE_NAMES = ['asked', 'held', 'kept', 'known', 'own', 'past', 'promised', 'seen', 'told'];

/** The fault of a file whose name is a vague word; empty for any other. @param {string} path @returns {Finding[]} */
const vagueNames = (path) => {
  const name = path.slice(path.lastIndexOf('/') + 1).split('.')[0] ?? '';
  return VAGUE_NAMES.includes(name)
    ? [{ file: path, line: 0, found: name, plain: 'what the file holds: `past-status`, `kept-summaries`' }]
    : [];
};

/** Identifiers as words: `letGoOf` and `let_go_of` become "let go of". @param {string} text */
const asWords = (text) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

/**
 * The prose of a line. In Markdown, addresses of links and names in code spans are left out: the files and the code that
 * they name are checked themselves.
 * @param {string} path @param {string} line
 */
const proseOf = (path, line) =>
  asWords(path.endsWith('.md') ? line.replace(/\]\([^)]*\)/g, ']').replace(/`[^`\s]+`/g, '`…`') : line);

/**
 * @param {readonly TextFile[]} files
 * @returns {Finding[]}
 */
export function checkWords(files) {
  return files.flatMap(({ path, text }) => [
    ...vagueNames(path),
    ...[path.replaceAll('-', ' '), ...text.split('\n')].flatMap((line, index) => {
      const prose = index === 0 ? asWords(line) : proseOf(path, line);
      if (!ANY.test(prose)) return [];
      return PATTERNS.flatMap(({ pattern, plain }) =>
        [...prose.matchAll(pattern)].map(([found]) => ({
          file: path,
          line: index,
          found: found.slice(0, 40),
          plain,
        })),
      );
    }),
  ]);
}

/** @param {string} path @param {string} place a file, or a folder as `docs/**` */
const isWithin = (path, place) =>
  place.endsWith('/**') ? path.startsWith(place.slice(0, -2)) : path === place;

/** @param {Finding} finding */
export const wordFault = ({ file, line, found, plain }) =>
  `${file}${line === 0 ? ' (its name)' : `:${line}`}: "${found}". Write ${plain}.`;

/**
 * @param {string} root
 * @param {string} [folder]
 * @returns {TextFile[]}
 */
function readFiles(root, folder = '') {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const isHidden = entry.name.startsWith('.') && !DOT_FOLDERS.includes(entry.name);
      return isHidden || LEFT_OUT_FOLDERS.includes(entry.name) ? [] : readFiles(root, path);
    }
    return entry.isFile() && CHECKED.has(extname(path)) && !LEFT_OUT.includes(path)
      ? [{ path, text: readFileSync(`${root}/${path}`, 'utf8') }]
      : [];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const files = readFiles(root);
  const [place] = process.argv.slice(2);
  const faults = checkWords(files)
    .filter(({ file }) => place === undefined || isWithin(file, place))
    .map(wordFault);
  for (const fault of faults.slice(0, place === undefined ? SHOWN_LIMIT : undefined)) console.error(fault);
  console.log(
    faults.length === 0
      ? `${files.length} files have no banned words.`
      : `${faults.length} ${faults.length === 1 ? 'finding' : 'findings'}.`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
}
