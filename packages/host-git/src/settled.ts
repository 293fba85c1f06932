import { HostError } from '@mq/core';

/** Asks about each item. An item on which the host fails gets the answer `without`; throws if the host fails on all of them. */
export const answersOrElse = async <Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
  without: (item: Item) => Answer,
): Promise<readonly Answer[]> => {
  const settled = await Promise.allSettled(items.map(ask));
  const isAnswered = settled.some(({ status }) => status === 'fulfilled');
  return items.map((item, index) => {
    const one = settled[index];
    if (one?.status === 'fulfilled') return one.value;
    if (isAnswered && one?.reason instanceof HostError) return without(item);
    throw one?.reason;
  });
};
