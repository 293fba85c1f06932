import type { AnswerOf, Operations, RequestOf } from '@mq/client';
import { type AnyCommand, type Asked, type Command, command, schemaNamed } from './command.js';
import { exitCodes } from './exit-codes.js';
import { type Preview, previewText } from './text/preview.js';
import type { Style } from './text/style.js';

/** Operations that the server can preview. */
type Previewed = 'updateQueue' | 'submitPullRequest' | 'cancelPullRequest' | 'restartTestsOnPullRequest';

interface WriteCommand<Name extends Previewed, Options>
  extends Pick<Command, 'words' | 'summary' | 'parameters' | 'flags' | 'examples' | 'schema'> {
  readonly operation: Name;
  readonly request: (asked: Asked<Options>) => Promise<RequestOf<Name>>;
  readonly text: (answer: AnswerOf<Name>, style: Style) => string;
}

const isPreview = (result: object): result is Preview => 'startedCount' in result;

/** A command of one operation; with `--preview` it shows what the operation would change, and changes nothing. */
export const writeCommand = <Name extends Previewed, Options>({
  operation,
  request,
  text,
  ...given
}: WriteCommand<Name, Options>): AnyCommand =>
  command<Options & { readonly preview?: boolean }, AnswerOf<Name> | Preview>({
    ...given,
    flags: [
      ...(given.flags ?? []),
      { flags: '--preview', description: 'only show what it would do; nothing is changed' },
    ],
    schema: { anyOf: [given.schema, schemaNamed('PreviewAnswer')] },
    run: async (asked) => {
      const body = await request(asked);
      const { client } = await asked.server();
      const options = { signal: asked.io.interrupted };
      const operations: Operations = client;
      if (asked.options.preview !== true) return operations[operation](body, options);
      const previewed = { ...body, operation, includeEstimatedTimeToMerge: true } as RequestOf<'preview'>;
      return client.preview(previewed, options);
    },
    text: (result, style) => (isPreview(result) ? previewText(result, style) : text(result, style)),
    exitCode: (result) => (isPreview(result) && result.refusal !== null ? exitCodes.failed : exitCodes.done),
  });
