import { setTimeout as delay } from 'node:timers/promises';
import {
  type ExpectedCheckView,
  type ReportCheckRequest,
  type ReportedConclusion,
  shownRepo,
  type TestRunId,
} from '@mq/core';
import type { z } from 'zod';
import { issuerOf, ownRepositories, type Principal, reporterOf, requireCheck } from './auth.js';
import { HttpProblem } from './errors.js';
import { repeatable } from './idempotency.js';
import type { Ask } from './operation.js';
import { isoTime, isoTimeOrNull } from './present/time.js';
import type * as checks from './schemas/checks.js';
import { PAGE_TAKE_DEFAULT } from './schemas/common.js';

/** Interval at which a waiting request polls for expected checks and validates its token again. */
const LOOK_EVERY_MS = 1_000;

type ListRequest = z.output<typeof checks.listExpectedChecksRequest>;
type Listed = z.output<typeof checks.expectedChecks>;
type ReportRequest = z.output<typeof checks.reportCheckRequest>;
type Reported = z.output<typeof checks.checkReport>;

/** A long poll: answers when a check is expected, or with an empty list after the requested time. */
export const listExpectedChecks = async (ask: Ask<ListRequest>): Promise<Listed> => {
  const { body } = ask;
  const until = performance.now() + (body.waitSeconds ?? 0) * 1000;
  const over = ask.untilOver('polls');
  for (;;) {
    const found = await expectedOf(ask);
    const leftMs = until - performance.now();
    if (found.length > 0 || leftMs <= 0 || over.aborted)
      return { expectedChecks: found.map(presentExpected), reached: found.length > 0 };
    await delay(Math.min(LOOK_EVERY_MS, leftMs), undefined, { signal: over }).catch(() => undefined);
    await ask.requireStillValid();
  }
};

const expectedOf = async ({
  mq,
  principal,
  body,
}: Ask<ListRequest>): Promise<readonly ExpectedCheckView[]> => {
  const { repo, silentSeconds, take = PAGE_TAKE_DEFAULT } = body;
  const allowed = namesAllowed(principal, body.checks);
  if (allowed?.length === 0) return [];
  const issuer = issuerOf(principal);
  return mq.listExpectedChecks({
    reporter: reporterOf(principal),
    take,
    ...(issuer === null ? {} : { issuer }),
    ...(repo === undefined ? ownRepositories(mq, principal) : { repo }),
    ...(allowed === null ? {} : { checks: allowed }),
    ...(silentSeconds === undefined ? {} : { silentMs: silentSeconds * 1000 }),
  });
};

/** The names of checks that the request may list; null if it may list all. */
const namesAllowed = (
  { checks: own }: Principal,
  requested: readonly string[] | undefined,
): readonly string[] | null => {
  if (own === undefined) return requested ?? null;
  return requested === undefined ? own : requested.filter((name) => own.includes(name));
};

const presentExpected = (expected: ExpectedCheckView): Listed['expectedChecks'][number] => ({
  repo: shownRepo(expected.repo),
  targetBranch: expected.targetBranch,
  testRunId: expected.testRunId,
  ref: expected.ref,
  commit: expected.commit,
  check: expected.check,
  status: expected.status,
  sequence: expected.sequence,
  reportedAt: isoTimeOrNull(expected.reportedAt),
  askedAt: isoTime(expected.askedAt),
  startBy: isoTimeOrNull(expected.startBy),
  deadlineAt: isoTimeOrNull(expected.deadlineAt),
  reportToken: expected.reportToken,
});

export const reportCheck = async ({ mq, body, principal, origin }: Ask<ReportRequest>): Promise<Reported> => {
  const { testRunId: named, ...rest } = body;
  requireCheck(principal, body.check);
  const testRunId = named === undefined ? principal.reporting?.testRunId : (named as TestRunId);
  const repo = mq.canonicalRepo(body.repo);
  const isCovered =
    principal.reporting === undefined ||
    (testRunId !== undefined && principal.reporting.covers({ repo, testRunId, check: body.check }));
  if (!isCovered)
    throw new HttpProblem(
      'CHECK_NOT_ALLOWED',
      'This report token is valid for another check or another test run; nothing was done.',
    );
  const report: ReportCheckRequest = {
    ...rest,
    reporter: reporterOf(principal),
    ...repeatable(origin),
    ...(testRunId === undefined ? {} : { testRunId }),
  };
  const { conclusion, ...reported } = await mq.reportCheck(report);
  return { ...reported, conclusion: conclusion as ReportedConclusion | null };
};
