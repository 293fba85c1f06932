import { createHmac } from 'node:crypto';
import { type InboundEvent, type InboundOptions, type InboundReceiver, inboundReceiver } from '@mq/core';

const EVENT = 'fake';

/** Receives the events of a fake host: signed as real hosts do, with the event itself as the payload. */
export const fakeHookReceiver = (
  options: Pick<InboundOptions<InboundEvent>, 'take' | 'logger'> & { readonly secret: string },
): InboundReceiver => {
  const { secret, ...rest } = options;
  return inboundReceiver<InboundEvent>({
    ...rest,
    headers: { signature: ['x-fake-signature'], delivery: ['x-fake-delivery'], event: ['x-fake-event'] },
    secrets: () => [secret],
    read: (event, payload) =>
      event === EVENT ? [payload as InboundEvent] : { ignored: 'the fake host has no such event' },
  });
};

let deliveries = 0;

/** An event as the fake host posts it. Each has a delivery id of its own. */
export const signedFakeEvent = (
  event: InboundEvent,
  secret: string,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } => {
  deliveries += 1;
  const body = JSON.stringify(event);
  return {
    headers: {
      'content-type': 'application/json',
      'x-fake-event': EVENT,
      'x-fake-delivery': `delivery-${deliveries}`,
      'x-fake-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
    body,
  };
};
