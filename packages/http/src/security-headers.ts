/**
 * What every answer carries against misuse by a browser: an answer is data, to be shown in no page, loaded by none of another
 * origin, and kept in no cache. They are constants, and answers without a request of the framework need them too: so no plugin
 * sets them.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
