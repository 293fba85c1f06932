import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { installByApt } from './apt.mjs';
import { main, Problem } from './machine.mjs';
import { browserSuite } from './thorough.mjs';
import { lastRunOf, runReported } from './vitest-report.mjs';

const CHROMIUM = '/usr/bin/chromium';

/** Debian's Chromium; installed by apt if this process may do that. */
async function ensureChromium() {
  if (existsSync(CHROMIUM)) return;
  await installByApt(['chromium']);
  if (!existsSync(CHROMIUM))
    throw new Problem(
      `The tests of the page need ${CHROMIUM}.`,
      'On Debian or Ubuntu: apt-get install chromium. Then run this again.',
    );
}

/** The tests of the page in a browser. Fails also if fewer tests ran than expected. */
export async function runBrowserSuite() {
  await ensureChromium();
  const code = await runReported(browserSuite.project);
  return code === 0 ? faultOfReport() : code;
}

/** 0 if the last run was whole and not earlier than the time, else 1, with the reason printed. @param {number} [notBefore] */
export function faultOfReport(notBefore = 0) {
  const { passed, startedAt } = lastRunOf(browserSuite.project);
  if (startedAt > 0 && startedAt >= notBefore && passed >= browserSuite.tests) return 0;
  const found =
    startedAt === 0 ? 'were not run' : startedAt < notBefore ? 'were run earlier only' : `were ${passed}`;
  console.error(
    `✖ The tests of the page in a browser ${found}; there are to be ${browserSuite.tests} that pass (scripts/thorough.mjs).`,
  );
  return 1;
}

// node scripts/browser-suite.mjs: runs it. With --ran-since <seconds>: only says whether it was run since then.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [flag, since] = process.argv.slice(2);
  main(async () => (flag === '--ran-since' ? faultOfReport(Number(since) * 1000) : runBrowserSuite()));
}
