import type { PreviewRequest } from '@mq/core';
import type { z } from 'zod';
import type { Ask } from './operation.js';
import { presentPreview } from './present/preview.js';
import { queueOf, submissionOf } from './request-model.js';
import type * as schemas from './schemas/preview.js';

type Request = z.output<typeof schemas.previewRequest>;

/** It needs no more than `read`: a preview shows the queue, and changes nothing. */
export const preview = async ({
  mq,
  body: { includeEstimatedTimeToMerge, ...body },
  asking,
}: Ask<Request>): Promise<z.output<typeof schemas.preview>> => {
  const withEstimates = includeEstimatedTimeToMerge === true;
  return presentPreview(await mq.preview({ ...commandOf(body, asking), withEstimates }));
};

const commandOf = (
  body: Omit<Request, 'includeEstimatedTimeToMerge'> & Pick<Request, 'operation'>,
  { actor }: Ask<unknown>['asking'],
): PreviewRequest => {
  const asking = actor === undefined ? {} : { actor };
  const asked = body as Request;
  switch (asked.operation) {
    case 'updateQueue':
      return { ...asked, ...asking };
    case 'submitPullRequest':
      return { ...submissionOf(asked, asking), operation: 'submit' };
    case 'cancelPullRequest':
      return { ...queueOf(asked), ...asking, pr: asked.pr.number, operation: 'cancel' };
    case 'restartTestsOnPullRequest':
      return { ...queueOf(asked), ...asking, pr: asked.pr.number, operation: 'restartTests' };
  }
};
