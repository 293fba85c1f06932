import { z } from 'zod';
import type { Context, Pace } from '../decide/draft/context.js';
import type { Decider } from '../engine/decider.js';
import { recallOf } from '../engine/recall.js';
import type { Loaded } from '../engine/working-set.js';
import { previewOf } from '../forecast/preview.js';
import type { QueueId } from '../model/ids.js';
import type { Command } from '../model/input.js';
import type { Preview } from '../model/preview.js';
import type { Queue } from '../model/queue.js';
import { envelopeOf, takes } from '../validation/request-schemas.js';
import type { PreviewRequest } from '../validation/requests.js';
import {
  type CommandEnvelope,
  cancelOf,
  configureOf,
  requestSchemas,
  restartOf,
  submitOf,
} from './command-of.js';
import type { Estimates } from './estimates.js';
import type { Hosts } from './hosts.js';
import { type QueueReader, queueDeleted } from './queue-reader.js';

/** Concerned pull requests whose merge is estimated, those at the front of the line. */
export const PREVIEWED_MERGES_LIMIT = 20;
/** In the shape of the seeds of decisions; ids that a preview makes are not shown. */
const PREVIEW_SEED = '00000000-0000-4000-8000-0000000e01e5';

export interface PreviewsParts {
  readonly pace: Pace;
  readonly reader: Pick<QueueReader, 'queue'>;
  readonly hosts: Pick<Hosts, 'forSubmit' | 'forUpdate' | 'requireConfirmedTrust'>;
  readonly estimates: Pick<Estimates, 'compare'>;
  readonly deciderOf: (queueId: QueueId) => Pick<Decider, 'see'>;
  readonly uuid: () => string;
}

const isWithEstimates = { withEstimates: z.boolean().optional() };
const schema = z.discriminatedUnion('operation', [
  requestSchemas.update.extend({ operation: z.literal('updateQueue'), ...isWithEstimates }),
  requestSchemas.submission.extend({ operation: z.literal('submit'), ...isWithEstimates }),
  requestSchemas.onPullRequest.extend({ operation: z.literal('cancel'), ...isWithEstimates }),
  requestSchemas.onPullRequest.extend({ operation: z.literal('restartTests'), ...isWithEstimates }),
]);

/** What commands would do. Reads the host for a submit, as the command does; writes nothing. */
export class Previews {
  readonly #parts: PreviewsParts;

  constructor(parts: PreviewsParts) {
    this.#parts = parts;
  }

  readonly preview = takes(schema, async (request: PreviewRequest): Promise<Preview> => {
    const { reader, estimates, deciderOf, uuid, pace } = this.#parts;
    const queue = await reader.queue(request);
    const command = await this.#commandOf({ ...request, repo: queue.repo }, queue, envelopeOf(request, uuid));
    const recall = recallOf([command], []);
    const look = ({ state, delta }: Loaded) => {
      const now = Math.max(delta.now, state.queue.decidedAt);
      const context: Context = { now, seed: PREVIEW_SEED, pace, recalled: delta.recalled };
      const { preview, after, prs } = previewOf({ state, facts: delta.inbox, command, context });
      const states = [{ state, recalled: delta.recalled }, after];
      return { preview, states, prs: prs.slice(0, PREVIEWED_MERGES_LIMIT) };
    };
    if (request.withEstimates !== true) {
      const view = await deciderOf(queue.id).see(recall, look);
      if (view === null) throw queueDeleted(queue);
      return { ...view.preview, merges: [] };
    }
    const { seen, estimates: found } = await estimates.compare(queue, recall, look);
    const [before, after] = found;
    const merges = seen.prs.map((pr) => ({
      pr,
      before: before?.get(pr) ?? null,
      after: after?.get(pr) ?? null,
    }));
    return { ...seen.preview, merges };
  });

  async #commandOf(
    request: PreviewRequest,
    { settings }: Queue,
    envelope: CommandEnvelope,
  ): Promise<Command> {
    const { hosts } = this.#parts;
    switch (request.operation) {
      case 'updateQueue':
        await hosts.requireConfirmedTrust(request.repo, request, settings.trustForkTargets);
        return configureOf(request, envelope, await hosts.forUpdate(request));
      case 'cancel':
        return cancelOf(request, envelope);
      case 'restartTests':
        return restartOf(request, envelope);
      case 'submit':
        return submitOf(request, envelope, await hosts.forSubmit(request, settings.mergeMethod, true));
    }
  }
}
