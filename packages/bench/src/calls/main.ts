import { Session } from 'node:inspector/promises';
import { parseArgs } from 'node:util';
import { story } from '@mq/testkit';

/** Files of `decide` and `model` that only keep the rows of a decision and what is derived from them. */
const BOOKKEEPING = [
  'decide/draft/draft-rows.ts',
  'decide/draft/history-rows.ts',
  'decide/draft/order-change.ts',
  'decide/draft/overlay.ts',
  'model/equality.ts',
  'model/indexes.ts',
] as const;

const CORE_FILE = /packages\/core\/src\/((?:decide|model)\/.*)$/;

/** Calls by file of `decide` and `model`, from the submit of a ready pull request into an empty queue until its answer. */
const callsOfSubmit = async (): Promise<ReadonlyMap<string, number>> => {
  const { world } = await story({ mode: 'parallel', concurrency: 5 });
  world.repository.openPullRequest({ number: 7 });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await world.mq.submit({ ...world.ref, pr: 7 });
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const calls = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = CORE_FILE.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count } = { startOffset: 0, count: 0 }] = ranges;
      const isModule = functionName === '' && startOffset === 0;
      if (!isModule) calls.set(file, (calls.get(file) ?? 0) + count);
    }
  }
  return calls;
};

const isBookkeeping = (file: string): boolean => BOOKKEEPING.some((name) => name === file);
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

const calls = [...(await callsOfSubmit())].filter(([, count]) => count > 0);
const total = sum(calls.map(([, count]) => count));
const bookkeeping = sum(calls.filter(([file]) => isBookkeeping(file)).map(([, count]) => count));
const share = bookkeeping / total;
const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
if (values.json)
  console.log(
    JSON.stringify({ files: calls.length, total, bookkeeping, share, calls: Object.fromEntries(calls) }),
  );
else {
  for (const [file, count] of calls.sort(([, one], [, other]) => other - one))
    console.log(`${String(count).padStart(5)}  ${file}${isBookkeeping(file) ? '  (bookkeeping)' : ''}`);
  console.log(
    `${total} calls in ${calls.length} files of decide and model; ${bookkeeping} (${(share * 100).toFixed(0)} %) are bookkeeping.`,
  );
}
