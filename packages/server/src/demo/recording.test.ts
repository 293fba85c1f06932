import { expect, test } from 'vitest';
import { svgOf } from './recording.js';
import { type Line, span } from './styled.js';

const line = (text: string): Line => [span(text)];
const frame = (atMs: number, clock: string, state: string) => ({ atMs, lines: [line(clock), line(state)] });
const end = [line('  #1  good'), line('  all is well')];

test('the same recording gives the same picture', () => {
  const recording = { title: 'demo', frames: [frame(0, '0 s', 'a'), frame(500, '1 s', 'b')], end };
  expect(svgOf(recording)).toBe(svgOf(recording));
});

test('a picture shows each change and the end, and skips sights in which only the clock moved', () => {
  const frames = [
    frame(0, '0 s', 'a'),
    frame(200, '0.2 s', 'a'),
    frame(500, '0.5 s', 'b'),
    frame(900, '0.9 s', 'b'),
  ];
  const svg = svgOf({ title: 'demo', frames, end });
  expect(svg.match(/<g id="f\d+"/g)).toHaveLength(2);
  expect(svg).toContain('aria-label="demo: all is well"');
});

test('a frame right before the end is left out: it would not be seen', () => {
  const frames = [frame(0, '0 s', 'a'), frame(500, '0.5 s', 'b'), frame(501, '0.5 s', 'c')];
  const svg = svgOf({ title: 'demo', frames, end });
  expect(svg.match(/<g id="f\d+"/g)).toHaveLength(1);
});

test('what is shown is text in the picture, whatever signs are in it', () => {
  const svg = svgOf({ title: 'demo', frames: [], end: [line('a <b> & "c"')] });
  expect(svg).toContain('a &lt;b&gt; &amp; &quot;c&quot;');
});

test('columns that are apart stay apart', () => {
  const svg = svgOf({ title: 'demo', frames: [], end: [line('one   two three')] });
  expect(svg.match(/<text[^>]*>[^<]*/g)?.map((text) => text.replace(/<text[^>]*>/, ''))).toEqual([
    'demo',
    'one',
    'two three',
  ]);
});
