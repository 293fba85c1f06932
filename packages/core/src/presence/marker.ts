import type { QueueId } from '../model/ids.js';
import type { HostAccount, HostComment } from '../ports/presence-host.js';

/** The content of the HTML comment in the last line of the queue's comments, by which the queue finds them again. */
export type Marker =
  | { readonly kind: 'presence'; readonly queueId: string; readonly version: number }
  | { readonly kind: 'notice'; readonly queueId: string; readonly attempt: number };

export const markerText = (marker: Marker): string =>
  `<!-- mq:${marker.kind} ${marker.queueId} ${marker.kind === 'presence' ? marker.version : marker.attempt} -->`;

const pattern = /<!-- mq:(presence|notice) (\S{1,100}) (\d{1,15}) -->\s*$/;

/** The marker of a comment; null if another account wrote the comment, because anyone can copy a marker. */
export const markerOf = ({ author, body }: HostComment, own: HostAccount): Marker | null => {
  if (author.id !== own.id) return null;
  const found = pattern.exec(body);
  if (found === null) return null;
  const [, kind, queueId = '', number = ''] = found;
  return kind === 'presence'
    ? { kind: 'presence', queueId, version: Number(number) }
    : { kind: 'notice', queueId, attempt: Number(number) };
};

/** The presence comments of a queue, newest version first. More than one is a fault that the caller must repair. */
export const presencesIn = (
  comments: readonly HostComment[],
  own: HostAccount,
  queueId: QueueId,
): readonly { readonly comment: HostComment; readonly version: number }[] =>
  comments
    .flatMap((comment) => {
      const marker = markerOf(comment, own);
      return marker?.kind === 'presence' && marker.queueId === queueId
        ? [{ comment, version: marker.version }]
        : [];
    })
    .sort((one, other) => other.version - one.version);

/** Duplicate notices: those about the same attempt as an earlier one. A fault that the caller must repair. */
export const doubledNotices = (
  comments: readonly HostComment[],
  own: HostAccount,
  queueId: QueueId,
): readonly HostComment[] => {
  const attempts = new Set<number>();
  return comments.filter((comment) => {
    const marker = markerOf(comment, own);
    if (marker?.kind !== 'notice' || marker.queueId !== queueId) return false;
    const isDoubled = attempts.has(marker.attempt);
    attempts.add(marker.attempt);
    return isDoubled;
  });
};

/** True if these comments include a notice about the end of this attempt. */
export const hasNotice = (
  comments: readonly HostComment[],
  own: HostAccount,
  { queueId, attempt }: { readonly queueId: QueueId; readonly attempt: number },
): boolean =>
  comments.some((comment) => {
    const marker = markerOf(comment, own);
    return marker?.kind === 'notice' && marker.queueId === queueId && marker.attempt === attempt;
  });
