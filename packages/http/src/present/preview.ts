import type { Estimate, Preview, PreviewedRun } from '@mq/core';
import type { z } from 'zod';
import type { preview, previewedRun } from '../schemas/preview.js';
import { presentEstimate } from './estimate.js';

const MINUTE_MS = 60_000;

const presentRun = ({ purpose, prs, testedOnTopOf }: PreviewedRun): z.output<typeof previewedRun> => ({
  purpose,
  prNumbers: [...prs],
  testedOnTopOf: [...testedOnTopOf],
});

const estimateOrNull = (estimate: Estimate | null) => (estimate === null ? null : presentEstimate(estimate));

export const presentPreview = (of: Preview): z.output<typeof preview> => ({
  refusal: of.refusal,
  started: of.started.map(presentRun),
  startedCount: of.startedCount,
  cancelled: of.cancelled.map((run) => ({
    ...presentRun(run),
    testRunId: run.runId,
    cause: run.cause,
    hadPassed: run.hadPassed,
    ciMinutes: run.ciMs / MINUTE_MS,
  })),
  cancelledCount: of.cancelledCount,
  ciMinutesLost: of.ciMsLost / MINUTE_MS,
  moves: of.moves.map(({ pr: prNumber, from, to, reason }) => ({ prNumber, from, to, reason })),
  movesCount: of.movesCount,
  positions: of.positions.map(({ pr: prNumber, from, to }) => ({ prNumber, from, to })),
  positionsCount: of.positionsCount,
  merges: of.merges.map(({ pr: prNumber, before, after }) => ({
    prNumber,
    before: estimateOrNull(before),
    after: estimateOrNull(after),
  })),
});
