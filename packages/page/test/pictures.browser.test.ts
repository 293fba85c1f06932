import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { paths, usedBrowser, type View } from './browser.js';
import { shownView } from './checks.js';
import { longLine } from './fixtures.js';

// The pictures of the page. `MQ_PICTURES=write` writes the pictures again: look at them before you commit them.

const { serve, open } = usedBrowser();
const FOLDER = fileURLToPath(new URL('../../../docs/pictures/page/', import.meta.url));
const mayWrite = process.env.MQ_PICTURES === 'write';

/** Max difference of two colours that count as equal: releases of Chromium draw letters slightly differently. */
const COLOUR_TOLERANCE = 0.2;
/** The part of a picture that may differ: about a line of text. */
const AREA_TOLERANCE = 0.01;

interface Picture {
  readonly view: View;
  readonly scheme: 'light' | 'dark';
  readonly isNarrow?: boolean;
  readonly isLong?: boolean;
}

const pictures: readonly Picture[] = [
  ...(Object.keys(paths) as View[]).flatMap((view) => [
    { view, scheme: 'light' as const },
    { view, scheme: 'dark' as const },
  ]),
  { view: 'queue', scheme: 'light', isNarrow: true },
  { view: 'pull', scheme: 'dark', isNarrow: true },
  { view: 'queue', scheme: 'light', isLong: true },
];

const nameOf = ({ view, scheme, isNarrow = false, isLong = false }: Picture): string =>
  [view, scheme, ...(isNarrow ? ['narrow'] : []), ...(isLong ? ['long'] : [])].join('-');

test.each(pictures.map((picture) => ({ ...picture, name: nameOf(picture) })))(
  'the page looks as in the picture $name',
  async ({ view, scheme, isNarrow = false, isLong = false, name }) => {
    const server = await serve();
    if (isLong) server.line = longLine();
    const page = await open(server, paths[view], { colorScheme: scheme, isNarrow });
    await shownView(page, view);
    await page.evaluate('document.fonts.ready.then(() => null)');
    const taken = await page.screenshot();
    const file = `${FOLDER}${name}.png`;
    if (mayWrite) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, taken);
    }
    expect(existsSync(file), `${file} is missing: MQ_PICTURES=write makes it`).toBe(true);
    const different = differenceOf(readFileSync(file), taken);
    if (different > AREA_TOLERANCE) {
      const found = file.replace(FOLDER, `${FOLDER}found/`);
      mkdirSync(dirname(found), { recursive: true });
      writeFileSync(found, taken);
    }
    expect(different).toBeLessThanOrEqual(AREA_TOLERANCE);
  },
);

/** The part of the pixels that differ; 1 if the sizes do. */
const differenceOf = (one: Buffer, other: Buffer): number => {
  const [before, after] = [PNG.sync.read(one), PNG.sync.read(other)];
  const { width, height } = before;
  if (width !== after.width || height !== after.height) return 1;
  const options = { threshold: COLOUR_TOLERANCE };
  return pixelmatch(before.data, after.data, null, width, height, options) / (width * height);
};

test('two pictures that differ by a few words count as different', () => {
  const blank = new PNG({ width: 100, height: 100, fill: true });
  blank.data.fill(255);
  const marked = new PNG({ width: 100, height: 100 });
  blank.data.copy(marked.data);
  marked.data.fill(0, 0, 4 * 150);
  for (let index = 3; index < 4 * 150; index += 4) marked.data[index] = 255;
  expect(differenceOf(PNG.sync.write(blank), PNG.sync.write(blank))).toBe(0);
  expect(differenceOf(PNG.sync.write(blank), PNG.sync.write(marked))).toBeGreaterThan(AREA_TOLERANCE);
});
