import { writeFile } from 'node:fs/promises';
import { readOptions, type SoakOptions, usage } from './options.js';
import { progressOn } from './progress.js';
import { pageOf, reportOf, textOf } from './report.js';
import { soak } from './soak.js';

const main = async (args: readonly string[]): Promise<number> => {
  const options = asked(args);
  if (typeof options === 'number') return options;
  const report = reportOf(options, await soak(options, progressOn(process.stderr)));
  if (options.page !== null)
    await writeFile(options.page, pageOf(report, ['npm run soak --', ...args].join(' ')));
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : textOf(report));
  return report.violations.length === 0 ? 0 : 1;
};

/** The options, or the exit code where there is nothing to run. */
const asked = (args: readonly string[]): SoakOptions | number => {
  try {
    const options = readOptions(args);
    if (options !== null) return options;
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
};

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return 2;
});
