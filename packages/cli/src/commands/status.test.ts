import { expect, test } from 'vitest';
import { found, NOW, queue } from '../../test/answers.js';
import { statusText } from '../text/pull-request.js';
import type { Style } from '../text/style.js';
import { status } from './status.js';

const style = (width: number): Style => ({ width, hasColours: false, now: NOW });

test('a pull request says how many of those before it are further down in the table', () => {
  expect(statusText(found({ position: 3, aheadInLane: 3 }), style(200))).toContain(
    'Position 3, 3 to merge before it (1 of them further down in the table: not under test now).',
  );
  expect(statusText(found({ position: 3, aheadInLane: 2 }), style(200))).toContain(
    'Position 3, 2 to merge before it.',
  );
  expect(statusText(found({ position: 3, aheadInLane: null }), style(200))).toContain('Position 3.');
});

test('the queue names the command that shows a whole reason if one is cut', () => {
  const answer = { ...queue([{}]), usualDurations: null };

  expect(status.text(answer, style(60))).toMatch(/…\n\nmq why <number> {2}the whole reason/);
  expect(status.text(answer, style(300))).not.toContain('mq why');
});
