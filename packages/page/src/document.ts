import type { Assets } from './assets.js';

export interface DocumentParts {
  /** The path of the page, with a slash at its end. */
  readonly base: string;
  /** The path below which `v1/` is, with a slash at its end. */
  readonly api: string;
  readonly names: Assets['names'];
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** The one HTML document. It has no inline script or style, so that its policy can refuse all of them. */
export const documentOf = ({ base, api, names }: DocumentParts): string => {
  const asset = (name: string) => escaped(`${base}page/${name}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="mq-base" content="${escaped(base)}">
<meta name="mq-api" content="${escaped(api)}">
<title>Merge queues</title>
<link rel="icon" href="${asset(names.icon)}" type="image/svg+xml">
<link rel="preload" href="${asset(names.font)}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${asset(names.style)}">
<script type="module" src="${asset(names.script)}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. In a terminal, mq status shows the same.</noscript>
</body>
</html>
`;
};
