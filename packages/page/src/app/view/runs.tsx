import type { QueueRef, TestingDetails } from '../data/queue-view.js';
import { pullPath } from '../model/route.js';
import { checkLook, runLook, withoutIds } from '../model/words.js';
import { Ago, Badge, Commit, Lasting, Link, OutLink } from './parts.js';

interface RunsProps {
  readonly reference: QueueRef;
  readonly runs: readonly TestingDetails[];
}

/** The test runs of a pull request, newest first, with what each was made of and its checks. */
export const Runs = ({ reference, runs }: RunsProps) => {
  if (runs.length === 0) return null;
  return (
    <section aria-label="Test runs">
      <h2>Test runs</h2>
      {runs.map((run) => (
        <Run key={run.testRunId} reference={reference} run={run} />
      ))}
    </section>
  );
};

/** `6 min` while it goes on; `2 h ago, took 6 min` once it has ended. */
const Duration = ({ run: { testingSince, createdAt, endedAt } }: { readonly run: TestingDetails }) => {
  const since = testingSince ?? createdAt;
  if (endedAt === null) return <Lasting since={since} />;
  return (
    <>
      <Ago at={endedAt} />, took <Lasting since={since} until={endedAt} />
    </>
  );
};

const Run = ({ reference, run }: { readonly reference: QueueRef; readonly run: TestingDetails }) => {
  return (
    <article class="run-card" aria-label={`Test run ${run.testRunId}`}>
      <header>
        <Badge look={runLook(run)} />
        <Content reference={reference} run={run} />
        <span class="quiet end">
          <Duration run={run} />
        </span>
      </header>
      {run.explanation !== undefined && <p class="quiet">{withoutIds(run.explanation)}</p>}
      <Checks run={run} />
    </article>
  );
};

/** `main 1a2b3c4d + #40 + #41`: what was tested. */
const Content = ({ reference, run }: { readonly reference: QueueRef; readonly run: TestingDetails }) => {
  const tested = run.testedPullRequests.map(({ prNumber }) => prNumber);
  return (
    <span class="content">
      {reference.targetBranch} <Commit id={run.baseSha} />
      {run.dependentPrs.map((pr) => (
        <span key={pr} class="quiet">
          {' + '}
          <Link to={pullPath(reference, pr)}>#{pr}</Link>
        </span>
      ))}
      {tested.map((pr) => (
        <span key={pr}>
          {' + '}
          <Link to={pullPath(reference, pr)}>
            <strong>#{pr}</strong>
          </Link>
        </span>
      ))}
    </span>
  );
};

type CheckRun = TestingDetails['checkSuites'][number]['checkRuns'][number];

/** Nothing if the check did not start, or did not end before its test run. */
const CheckDuration = ({ check, isOver }: { readonly check: CheckRun; readonly isOver: boolean }) =>
  check.status === 'QUEUED' || (isOver && check.completedAt === null) ? null : (
    <Lasting since={check.startedAt} until={check.completedAt} />
  );

const Checks = ({ run }: { readonly run: TestingDetails }) => {
  const checks = run.checkSuites.flatMap(({ source, checkRuns }) =>
    checkRuns.map((check) => ({ source, check })),
  );
  if (checks.length === 0) return null;
  return (
    <table class="checks" aria-label="Checks">
      <thead class="hidden">
        <tr>
          <th scope="col">Result</th>
          <th scope="col">Check</th>
          <th scope="col">Duration</th>
          <th scope="col">Summary</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ source, check }) => (
          <tr key={`${source} ${check.name} ${check.startedAt}`}>
            <td class="state">
              <Badge look={checkLook(check)} />
            </td>
            <td>
              <OutLink href={check.url}>{check.name}</OutLink>
            </td>
            <td class="number">
              <CheckDuration check={check} isOver={run.status !== 'in_progress'} />
            </td>
            <td class="summary-text">{check.summary ?? ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
