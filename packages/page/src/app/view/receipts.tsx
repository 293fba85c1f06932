import type { Receipt } from '../data/pull-view.js';
import type { QueueRef } from '../data/queue-view.js';
import { instantText } from '../model/time.js';
import { prList } from '../model/words.js';
import { Commit } from './parts.js';

interface ReceiptsProps {
  readonly reference: QueueRef;
  readonly receipts: readonly Receipt[];
}

/** The record of a merge: what was tested, and that it is what was merged. */
export const Receipts = ({ reference, receipts }: ReceiptsProps) => (
  <>
    {receipts.map((receipt) => (
      <section key={receipt.hash} aria-label={`Receipt ${receipt.number}`}>
        <h2>Receipt {receipt.number}</h2>
        <dl class="facts">
          <Fact name="Merged as">
            <Commit id={receipt.landed.commit} /> on {reference.targetBranch}
          </Fact>
          <Fact name="Tree tested">
            {receipt.tested === null ? 'no test run' : <Tree receipt={receipt} />}
          </Fact>
          <Fact name="Required checks">
            {receipt.required.names.length === 0 ? 'none' : receipt.required.names.join(', ')}
          </Fact>
          {receipt.submitted !== null && (
            <Fact name="Submitted">
              {receipt.submitted.by.name}, {instantText(receipt.submitted.at)}
            </Fact>
          )}
          {receipt.between.length > 0 && (
            <Fact name="Merged in between">{prList(receipt.between.flatMap(({ prs }) => prs))}</Fact>
          )}
          <Fact name="Hash">
            <Commit id={receipt.hash} />
          </Fact>
        </dl>
      </section>
    ))}
  </>
);

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Tree = ({ receipt }: { readonly receipt: Receipt }) => <Commit id={receipt.landed.tree} />;
