import type { PreviewRequest } from '@mq/core';
import type { z } from 'zod';
import type { Ask } from './operation.js';
import { presentPreview } from './present/preview.js';
import { queueOf, submissionOf } from './request-model.js';
import type * as schemas from './schemas/preview.js';

type Request = z.output<typeof schemas.previewRequest>;

/** Requires the scope `read` only, because a preview changes nothing. */
export const preview = async ({
  mq,
  body,
  origin,
}: Ask<Request>): Promise<z.output<typeof schemas.preview>> => {
  const withEstimates = body.includeEstimatedTimeToMerge === true;
  return presentPreview(await mq.preview({ ...commandOf(body, origin), withEstimates }));
};

const commandOf = (
  { includeEstimatedTimeToMerge: _, ...body }: Request,
  { actor }: Ask<unknown>['origin'],
): PreviewRequest => {
  const origin = actor === undefined ? {} : { actor };
  switch (body.operation) {
    case 'updateQueue':
      return { ...body, ...origin };
    case 'submitPullRequest':
      return { ...submissionOf(body, origin), operation: 'submit' };
    case 'cancelPullRequest':
      return { ...queueOf(body), ...origin, pr: body.pr.number, operation: 'cancel' };
    case 'restartTestsOnPullRequest':
      return { ...queueOf(body), ...origin, pr: body.pr.number, operation: 'restartTests' };
  }
};
