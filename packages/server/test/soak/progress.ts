const PLAIN_EVERY_MS = 30_000;

export interface Progress {
  /** The state of things, in one line. Cheap to call often. */
  tell(line: string): void;
  /** Ends the line that is updated. */
  end(): void;
}

/** On a terminal one line that is written over; elsewhere a line every half minute. */
export const progressOn = (out: NodeJS.WriteStream, now: () => number = Date.now): Progress => {
  let printedAt = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  return {
    tell: (line) => {
      if (out.isTTY) {
        out.write(`\r\u001B[2K${line.slice(0, Math.max(20, out.columns - 1))}`);
        isOpen = true;
      } else if (now() - printedAt >= PLAIN_EVERY_MS) {
        out.write(`${line}\n`);
        printedAt = now();
      }
    },
    end: () => {
      if (isOpen) out.write('\n');
      isOpen = false;
    },
  };
};
