import { linePieces, roundMaximum, type Series, stackedBars } from '../model/chart.js';

const WIDTH = 400;
const HEIGHT = 120;
const LEFT = 64;
const BOTTOM = 18;
const PLOT = { width: WIDTH - LEFT, height: HEIGHT - BOTTOM - 6 };
const yOf = (part: number): number => 6 + PLOT.height * (1 - part);
const xOf = (part: number): number => LEFT + PLOT.width * part;

interface ChartProps {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  readonly series: readonly Series[];
  /** What each bucket is called. */
  readonly buckets: readonly string[];
  readonly format: (value: number) => string;
  /** The unit of the axis of lines: the axis ends at a round number of these. */
  readonly unit?: number;
}

/** A chart, and the same numbers as a table for readers of the screen. */
export const Chart = ({ title, kind, series, buckets, format, unit = 1 }: ChartProps) => {
  const maximum =
    kind === 'bars'
      ? stackedBars(series).maximum
      : unit *
        roundMaximum(
          Math.max(0, ...series.flatMap(({ values }) => values.map((value) => (value ?? 0) / unit))),
        );
  return (
    <figure class="chart">
      <figcaption>
        {title}
        <span class="legend">
          {series.map(({ name, tone }) => (
            <span key={name}>
              <span class={`swatch ${tone}`} aria-hidden="true" />
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}, by bucket; the table has the numbers`}
      >
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <path class="grid" d={`M${LEFT} ${yOf(part)}H${WIDTH}`} />
            <text class="small" x={LEFT - 6} y={yOf(part) + 4} text-anchor="end">
              {format(maximum * part)}
            </text>
          </g>
        ))}
        {kind === 'bars' ? (
          <Bars series={series} count={buckets.length} />
        ) : (
          <Lines series={series} maximum={maximum} />
        )}
        {[0, buckets.length - 1].map((index) => (
          <text
            key={index}
            class="small"
            x={index === 0 ? LEFT : WIDTH}
            y={HEIGHT - 4}
            text-anchor={index === 0 ? 'start' : 'end'}
          >
            {buckets[index]}
          </text>
        ))}
      </svg>
      <table class="hidden" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, index) => (
            <tr key={bucket}>
              <th scope="row">{bucket}</th>
              {series.map(({ name, values }) => {
                const value = values[index] ?? null;
                return <td key={name}>{value === null ? 'none' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
};

const Bars = ({ series, count }: { readonly series: readonly Series[]; readonly count: number }) => {
  const step = PLOT.width / Math.max(1, count);
  const width = Math.max(1, Math.min(24, step - 2));
  return (
    <>
      {stackedBars(series).bars.map(({ index, tone, from, to }) => (
        <rect
          key={`${index} ${tone}`}
          class={`fill ${tone}`}
          x={LEFT + step * (index + 0.5) - width / 2}
          y={yOf(to)}
          width={width}
          height={Math.max(0.5, yOf(from) - yOf(to))}
        />
      ))}
    </>
  );
};

const Lines = ({ series, maximum }: { readonly series: readonly Series[]; readonly maximum: number }) => (
  <>
    {series.flatMap(({ name, tone, values }) =>
      linePieces(values, maximum).map((piece) => {
        const d = piece.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${xOf(x)} ${yOf(y)}`).join('');
        const [[x = 0, y = 0] = []] = piece;
        return piece.length === 1 ? (
          <circle key={`${name} ${x}`} class={`fill ${tone}`} cx={xOf(x)} cy={yOf(y)} r="2" />
        ) : (
          <path key={`${name} ${x}`} class={`stroke ${tone}`} d={d} />
        );
      }),
    )}
  </>
);
