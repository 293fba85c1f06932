import type { QueueRef, QueueView, Run } from '../data/queue-view.js';
import { hrefOf, navigate } from '../data/router.js';
import { type Graph, type GraphNode, graphOf, progressOf } from '../model/graph.js';
import { pullPath } from '../model/route.js';
import { durationText } from '../model/time.js';
import { countText, prList, runLook } from '../model/words.js';
import { useNow } from './parts.js';

const NODE = { width: 140, height: 44, gapX: 28, gapY: 8 } as const;
const BASE_WIDTH = 88;
const PADDING = 2;

const leftOf = ({ column }: GraphNode): number => BASE_WIDTH + NODE.gapX + column * (NODE.width + NODE.gapX);
const topOf = ({ row }: Pick<GraphNode, 'row'>): number => PADDING + row * (NODE.height + NODE.gapY);

interface RunGraphProps {
  readonly reference: QueueRef;
  readonly view: Pick<QueueView, 'runs' | 'targetSha'>;
  /** The moment that is shown; left out: now. */
  readonly at?: number;
}

/** What is tested on top of what, from the target branch to the right. */
export const RunGraph = ({ reference, view: { runs, targetSha }, at }: RunGraphProps) => {
  const graph = graphOf(runs);
  const present = useNow();
  const now = at ?? present;
  const { width, height } = sizeOf(graph);
  return (
    <section class="graph" aria-label="What is tested on top of what">
      <div class="scroll" tabIndex={0} role="group" aria-label="Test runs, scrollable">
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="list"
          aria-label="Test runs"
        >
          <g role="listitem" aria-label={`The branch ${reference.targetBranch}`}>
            <rect
              class="base"
              x={PADDING}
              y={PADDING}
              width={BASE_WIDTH - PADDING}
              height={NODE.height}
              rx="6"
            />
            <text class="base-name" x={PADDING + 12} y={PADDING + 19}>
              {shortened(reference.targetBranch, 11)}
            </text>
            <text class="small" x={PADDING + 12} y={PADDING + 34}>
              {(targetSha ?? '').slice(0, 8)}
            </text>
          </g>
          {graph.nodes.map((node) => (
            <path key={`edge-${node.run.testRunId}`} class="edge" d={edgeOf(node)} />
          ))}
          {graph.nodes.map((node) => (
            <RunNode key={node.run.testRunId} node={node} reference={reference} now={now} />
          ))}
        </svg>
      </div>
      {graph.left > 0 && <p class="quiet">{countText(graph.left, 'more test run')} not drawn.</p>}
    </section>
  );
};

const sizeOf = ({ columns, rows }: Graph) => ({
  width: BASE_WIDTH + columns * (NODE.width + NODE.gapX) + PADDING,
  height: topOf({ row: Math.max(1, rows) }) - NODE.gapY + PADDING,
});

const edgeOf = (node: GraphNode): string => {
  const from =
    node.below === null
      ? { x: BASE_WIDTH, row: 0 }
      : { x: leftOf(node.below) + NODE.width, row: node.below.row };
  const start = topOf({ row: from.row }) + NODE.height / 2;
  const end = topOf(node) + NODE.height / 2;
  const x = leftOf(node);
  if (start === end) return `M${from.x} ${start}H${x}`;
  const middle = from.x + NODE.gapX / 2;
  return `M${from.x} ${start}H${middle - 6}q6 0 6 6V${end - 6}q0 6 6 6H${x}`;
};

const purposeWords: Readonly<Record<Run['purpose'], string | null>> = {
  test: null,
  isolate: 'bisection',
  control: 'baseline',
  compose: 'combined',
};

interface RunNodeProps {
  readonly node: GraphNode;
  readonly reference: QueueRef;
  readonly now: number;
}

const RunNode = ({ node, reference, now }: RunNodeProps) => {
  const { run } = node;
  const prs = run.prNumbers;
  const look = runLook(run);
  const { done, failed, total } = progressOf(run);
  const x = leftOf(node);
  const y = topOf(node);
  const since = run.testingSince ?? run.createdAt;
  const time = durationText(now - Date.parse(since));
  const tone = failed > 0 ? 'bad' : look.tone;
  const purpose = purposeWords[run.purpose];
  const name = prs.length === 0 ? reference.targetBranch : shortened(prList(prs, 3), 19);
  const [first] = prs;
  const detail = [purpose, total === 0 ? look.word.toLowerCase() : `${done}/${total} checks`]
    .filter((part) => part !== null)
    .join(' · ');
  const label = `${name} ${detail} ${time}${labelEnd(run, failed)}`;
  const box = (
    <>
      <rect class={`run ${tone} ${run.purpose}`} x={x} y={y} width={NODE.width} height={NODE.height} rx="6" />
      <text class="run-name" x={x + 12} y={y + 17}>
        {name}
      </text>{' '}
      <text class="small" x={x + 12} y={y + 31}>
        {detail}
      </text>{' '}
      <text class="small" x={x + NODE.width - 12} y={y + 17} text-anchor="end">
        {time}
      </text>
      <rect class="track" x={x + 12} y={y + 37} width={NODE.width - 24} height="3" rx="1.5" />
      <rect
        class={`bar ${tone}`}
        x={x + 12}
        y={y + 37}
        width={total === 0 ? 0 : ((NODE.width - 24) * done) / total}
        height="3"
        rx="1.5"
      />
    </>
  );
  return (
    <g role="listitem">
      {first === undefined ? (
        <g role="img" aria-label={label}>
          {box}
        </g>
      ) : (
        <a
          href={hrefOf(pullPath(reference, first))}
          aria-label={label}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.button !== 0) return;
            event.preventDefault();
            navigate(pullPath(reference, first));
          }}
        >
          {box}
        </a>
      )}
    </g>
  );
};

/** The title of the box: what the test run stands on, and its state. */
const labelEnd = (run: Run, failed: number): string => {
  const below = run.testedOnTopOf.length === 0 ? '' : `, on top of ${prList(run.testedOnTopOf)}`;
  const wrong = failed === 0 ? '' : `, ${failed} failed`;
  return `${below}, ${runLook(run).word.toLowerCase()}${wrong}`;
};

const shortened = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
