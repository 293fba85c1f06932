/**
 * Headers of every answer. A browser must not render it, embed it, load it from another origin, or cache it. They are
 * constants and not set by a plugin, because raw answers outside Fastify need them too.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
