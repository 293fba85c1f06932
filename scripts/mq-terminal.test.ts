import { execFileSync, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mqWorld, TOKEN, type World } from './mq-world.js';

let world: World;
beforeAll(async () => {
  world = await mqWorld();
});
afterAll(() => world?.close());

/** `script` of util-linux creates a pseudo-terminal; that of BSD takes other options. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

interface Terminal {
  /** All that it was sent. */
  readonly text: () => string;
  /** Resolves when the output since the call matches, followed by this. */
  shows(pattern: RegExp, end?: string): Promise<void>;
  /** Gives it another size, as the user who drags its corner does. */
  resize(columns: number, rows: number): void;
  /** Types; `\u0003` is Ctrl-C. */
  type(text: string): void;
  readonly ended: Promise<string>;
}

/** Runs mq in a pseudo-terminal of 24 rows. */
const terminal = (
  clone: string,
  columns: number,
  line: string,
  env: NodeJS.ProcessEnv = {},
  after = '',
): Terminal => {
  const command = `trap : INT; stty cols ${columns} rows 24; tty; ${world.command} ${line}${after}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: clone,
    env: {
      PATH: process.env.PATH,
      HOME: world.home,
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      MQ_URL: world.url(),
      MQ_TOKEN: TOKEN,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let all = '';
  const looks = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    all += piece;
    for (const look of looks) look();
  });
  const own = () => all.replace(/^\S+\r?\n/, '');
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(own())));
  return {
    text: own,
    shows: (pattern, end = '') => {
      const from = all.length;
      return new Promise((resolve, reject) => {
        const look = () => {
          const text = all.slice(from);
          const index = text.search(pattern);
          if (index === -1 || !text.slice(index).includes(end)) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        void ended.then(() => reject(new Error(`it ended without ${pattern}:\n${all.slice(from)}`)));
      });
    },
    resize: (width, height) => {
      const device = /^\/dev\/\S+/.exec(all)?.[0] ?? '';
      execFileSync('stty', ['-F', device, 'cols', String(width), 'rows', String(height)]);
    },
    type: (text) => void child.stdin.write(text),
    ended,
  };
};

const widestOf = (text: string): number =>
  Math.max(
    ...stripVTControlCharacters(text)
      .split(/\r?\n/)
      .map((line) => [...line].length),
  );
const SCREEN_END = '\u001b[J';
/** The screens that `mq watch` has drawn, one by one. */
const screensOf = (text: string): string[] => text.split('\u001b[H').slice(1);

describe.skipIf(!hasScript).each([80, 200])('in a terminal of %d columns', (columns) => {
  test.concurrent('in a terminal of %d columns answers fit, are coloured, and are not with NO_COLOR', async () => {
    const { clone, ref } = await world.queue(`terminal-${columns}`, { one: 'sleep 600', two: 'true' });
    for (const number of [1, 2]) await world.client.submitPullRequest({ ...ref, pr: { number } });
    const seen = (line: string, env: NodeJS.ProcessEnv = {}) => terminal(clone, columns, line, env).ended;

    for (const line of ['status', 'why 2']) {
      const shown = (await seen(line)).split(/\r?\n/);
      // An address is one word: it is not broken, so that it can be opened.
      const lines = shown.filter((one) => !one.includes('://'));
      expect({ line, fits: widestOf(lines.join('\n')) <= columns }).toEqual({ line, fits: true });
    }
    expect(await seen('status')).toContain('\u001b[2m');
    expect(await seen('status', { NO_COLOR: '1' })).not.toContain('\u001b[');
    const watching = terminal(clone, columns, 'watch 1');
    await watching.shows(/#1 Write one/);
    await world.client.cancelPullRequest({ ...ref, pr: { number: 1 } });
    const watched = await watching.ended;
    expect(watched.startsWith('\u001b[?1049h')).toBe(true);
    expect(stripVTControlCharacters(watched.split('\u001b[?1049l')[1] ?? '')).toMatch(
      /cancelled at .*\n.*token/s,
    );
  });
});

describe.skipIf(!hasScript)('a terminal that is resized', () => {
  test.concurrent('watch draws the table at the new width when its terminal is resized, and ends at Ctrl-C', async () => {
    const { clone, ref } = await world.queue('resized', { one: 'sleep 600', two: 'true', three: 'true' });
    for (const number of [1, 2, 3]) await world.client.submitPullRequest({ ...ref, pr: { number } });
    const watching = terminal(clone, 80, 'watch', {}, '; echo "exit code $?"');
    await watching.shows(/#1 .*Ctrl-C ends|Ctrl-C ends.*#1 /s);
    expect(widestOf(watching.text())).toBeLessThanOrEqual(80);
    expect(watching.text()).not.toContain('TITLE');

    watching.resize(200, 40);
    await watching.shows(/TITLE/, SCREEN_END);
    const wide = screensOf(watching.text()).at(-1) ?? '';
    expect(widestOf(wide)).toBeGreaterThan(80);
    expect(widestOf(wide)).toBeLessThanOrEqual(200);

    watching.resize(60, 6);
    await watching.shows(/… \d+ more/, SCREEN_END);
    const small = screensOf(watching.text()).at(-1) ?? '';
    expect(widestOf(small)).toBeLessThanOrEqual(60);
    expect(small.split('\n').length).toBeLessThan(6);

    watching.type('\u0003');
    const [, after = ''] = (await watching.ended).split('\u001b[?1049l');
    expect(after).toContain('exit code 130');
  });
});
