/** Cuts a text to `limit` UTF-16 units, including the mark `…`. Never splits a surrogate pair. */
export const truncate = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
