/** How text is laid out. */
export interface Style {
  /** Columns of the terminal; infinite where the output is not a terminal. */
  readonly width: number;
  readonly hasColours: boolean;
  readonly now: number;
}

const codes = { dim: [2, 22], bold: [1, 22], green: [32, 39], red: [31, 39], yellow: [33, 39] } as const;

export const paint = ({ hasColours }: Style, how: keyof typeof codes, text: string): string => {
  const [on, off] = codes[how];
  return hasColours && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
};

const stateColours: Readonly<Record<string, keyof typeof codes>> = {
  merged: 'green',
  tests_passed: 'green',
  failed: 'red',
  pending_failure: 'red',
  cancelled: 'yellow',
  not_ready: 'yellow',
};

/** A state as people read it, in its colour. */
export const stateText = (style: Style, state: string): string => {
  const colour = stateColours[state];
  const words = state.replaceAll('_', ' ');
  return colour === undefined ? words : paint(style, colour, words);
};

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
