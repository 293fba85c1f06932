import type { QueueRef, Row } from '../data/queue-view.js';
import { navigate } from '../data/router.js';
import { pullPath } from '../model/route.js';
import { rowSentence, stateLooks } from '../model/words.js';
import { Ago, Badge, Clock, Link } from './parts.js';
import { useWindow } from './windowed.js';

const WIDE_ROW = 36;
const NARROW_ROW = 81;
const NARROW = '(max-width: 720px)';

const rowHeight = (): number => (matchMedia(NARROW).matches ? NARROW_ROW : WIDE_ROW);

interface LineTableProps {
  readonly reference: QueueRef;
  readonly rows: readonly Row[];
  readonly label: string;
}

/** The line of a queue. Arrow keys, or j and k, go from row to row. */
export const LineTable = ({ reference, rows, label }: LineTableProps) => {
  const { ref, first, end, above, below } = useWindow(rows.length, rowHeight);
  return (
    <table class="line" aria-label={label} aria-rowcount={rows.length + 1}>
      <thead>
        <tr>
          <th scope="col" class="number">
            Line
          </th>
          <th scope="col">Pull request</th>
          <th scope="col">State</th>
          <th scope="col">Since</th>
          <th scope="col">Merges</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody ref={ref} onKeyDown={moveFocus}>
        {above > 0 && <Space height={above} />}
        {rows.slice(first, end).map((row, index) => (
          <LineRow key={row.prNumber} reference={reference} row={row} rowIndex={first + index + 2} />
        ))}
        {below > 0 && <Space height={below} />}
      </tbody>
    </table>
  );
};

const Space = ({ height }: { readonly height: number }) => (
  <tr class="space">
    <td colSpan={6} style={{ height: `${height}px` }} />
  </tr>
);

/** Moves the focus to the link of the next or previous row. */
const moveFocus = (event: KeyboardEvent): void => {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const row = event.target instanceof Element ? event.target.closest('tr') : null;
  if (step === undefined || row === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const next = step === 1 ? row.nextElementSibling : row.previousElementSibling;
  const link = next?.querySelector('a');
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
};

interface LineRowProps {
  readonly reference: QueueRef;
  readonly row: Row;
  readonly rowIndex: number;
}

const LineRow = ({ reference, row, rowIndex }: LineRowProps) => {
  const { position } = row;
  const to = pullPath(reference, row.prNumber);
  return (
    <tr
      aria-rowindex={rowIndex}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a') === null) navigate(to);
      }}
    >
      <td class="number">{position ?? ''}</td>
      <td class="pull">
        <Link to={to} class="pull-link">
          <span class="pr">#{row.prNumber}</span> <span class="title">{row.prTitle}</span>
        </Link>
        <Tag row={row} />
        <span class="author">{row.prAuthor}</span>
      </td>
      <td class="state">
        <Badge look={stateLooks[row.state]} />
      </td>
      <td class="since">
        <Ago at={row.stateChangedAt} />
      </td>
      <td class="expected">
        <Expected row={row} />
      </td>
      <td class="why" title={whyOf(row)}>
        {whyOf(row)}
      </td>
    </tr>
  );
};

const Tag = ({ row: { skipTheLine, priorityName } }: { readonly row: Row }) => {
  if (!skipTheLine && priorityName === 'medium') return null;
  return <span class="tag">{skipTheLine ? 'urgent' : priorityName}</span>;
};

const whyOf = ({ waitingFor, prNumber }: Row): string => rowSentence(waitingFor?.sentence ?? '', prNumber);

const Expected = ({ row: { estimatedTimeToMerge: estimate } }: { readonly row: Row }) => {
  if (estimate === undefined) return null;
  if (estimate.status === 'unavailable')
    return (
      <span class="quiet" title={estimate.sentence}>
        –<span class="hidden">{estimate.sentence}</span>
      </span>
    );
  if (estimate.expectedMergeAt === null) return null;
  return <Clock at={estimate.expectedMergeAt} />;
};
