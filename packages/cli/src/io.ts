/** The environment of a command: what it may read, and where its output goes. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Standard output. */
  readonly out: (text: string) => void;
  /** Standard error. */
  readonly err: (text: string) => void;
  /** The present size of the terminal; null if standard output is not a terminal. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | null;
  /** Calls back when the size of the terminal changes. Returns a function that ends that. */
  readonly onResize: (changed: () => void) => () => void;
  readonly isInputTerminal: boolean;
  /** All of standard input. */
  readonly input: () => Promise<string>;
  /** Asks the user for a line, without echo if it is a secret. Null if there is no terminal. */
  readonly question: (text: string, isSecret: boolean) => Promise<string | null>;
  readonly now: () => number;
  /** Aborts at Ctrl-C. */
  readonly interrupted: AbortSignal;
}
