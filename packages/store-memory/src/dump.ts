import type {
  Answer,
  Fact,
  HistoryRow,
  Instant,
  Queue,
  Receipt,
  Submission,
  TargetBook,
  TestRun,
  Verdict,
  Version,
} from '@mq/core';
import type { AnswerTable } from './answer-table.js';
import type { EffectTable } from './effect-table.js';
import type { QueueRecord } from './queue-record.js';
import type { ReceiptTable } from './receipt-table.js';
import type { VerdictTable } from './verdict-table.js';

/** The content of a memory store, for people to read. The format may change. */
export interface StoreDump {
  readonly queues: readonly {
    readonly queue: Queue;
    readonly version: Version;
    readonly wakeAt: Instant | null;
    readonly claimedUntil: Instant | null;
    readonly submissions: readonly Submission[];
    readonly runs: readonly TestRun[];
    readonly targets: readonly TargetBook[];
    readonly inbox: readonly Fact[];
    readonly history: readonly HistoryRow[];
  }[];
  readonly effects: ReturnType<EffectTable['all']>;
  readonly answers: readonly Answer[];
  readonly verdicts: readonly Verdict[];
  readonly receipts: readonly Receipt[];
}

export const dumpOf = (parts: {
  readonly records: Iterable<QueueRecord>;
  readonly effects: EffectTable;
  readonly answers: AnswerTable;
  readonly verdicts: VerdictTable;
  readonly receipts: ReceiptTable;
}): StoreDump => ({
  queues: [...parts.records].map((record) => ({
    queue: record.queue,
    version: record.version,
    wakeAt: record.wakeAt,
    claimedUntil: record.claimedUntil,
    submissions: record.submissions.rows(),
    runs: record.runs.rows(),
    targets: record.targets.rows(),
    inbox: [...record.inbox.values()],
    history: record.history.rows(),
  })),
  effects: parts.effects.all(),
  answers: parts.answers.all(),
  verdicts: parts.verdicts.all(),
  receipts: parts.receipts.all(),
});
