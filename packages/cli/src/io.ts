/** The world of a command: what it may read of its surroundings, and where its output goes. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Standard output. */
  readonly out: (text: string) => void;
  /** Standard error. */
  readonly err: (text: string) => void;
  /** Where standard output is a terminal: its size at this moment. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | null;
  /** Calls back when the terminal has another size; returns how to call that off. */
  readonly onResize: (changed: () => void) => () => void;
  readonly isInputTerminal: boolean;
  /** All of standard input. */
  readonly input: () => Promise<string>;
  /** A line that the user types, unseen where it is a secret; null where there is no terminal. */
  readonly question: (text: string, isSecret: boolean) => Promise<string | null>;
  readonly now: () => number;
  /** Aborts at Ctrl-C. */
  readonly interrupted: AbortSignal;
}
