const metaOf = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '/';

/** The path of the page, with a slash at its end. */
export const BASE = metaOf('mq-base');

/** The address below which `v1/` is. */
export const apiUrl = (): string => new URL(metaOf('mq-api'), location.origin).href;
