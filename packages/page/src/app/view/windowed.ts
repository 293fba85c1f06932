import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Window {
  readonly first: number;
  readonly end: number;
}

/** Rows that are drawn out of sight, above and below. */
const AROUND = 10;
/** Lists up to this length are drawn whole. */
const WHOLE_LIMIT = 80;

/**
 * The part of a long table that is in sight, so that a thousand rows cost little more than fifty. All rows are `rowHeight`
 * high; `ref` belongs to the body of the table.
 */
export const useWindow = (count: number, rowHeight: () => number) => {
  const ref = useRef<HTMLTableSectionElement>(null);
  const [shown, setShown] = useState<Window>({ first: 0, end: WHOLE_LIMIT });
  const look = (): void => {
    const { current } = ref;
    if (current === null || count <= WHOLE_LIMIT) return;
    const height = rowHeight();
    const above = Math.max(0, -current.getBoundingClientRect().top);
    const first = Math.max(0, Math.floor(above / height) - AROUND);
    const end = Math.min(count, Math.ceil((above + innerHeight) / height) + AROUND);
    setShown((before) => (before.first === first && before.end === end ? before : { first, end }));
  };
  useLayoutEffect(look, [count]);
  useEffect(() => {
    if (count <= WHOLE_LIMIT) return;
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count]);
  const { first, end } = count <= WHOLE_LIMIT ? { first: 0, end: count } : shown;
  const last = Math.min(end, count);
  return {
    ref,
    first: Math.min(first, last),
    end: last,
    above: Math.min(first, last) * rowHeight(),
    below: (count - last) * rowHeight(),
  };
};
