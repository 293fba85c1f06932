import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config.js';
import { greeting } from './greeting.js';

/** How often the text warns of checks that can read secrets. */
const warningsWith = (ci: object): number => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-greeting-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'mq.config.json'), JSON.stringify({ ci }));
  const text = greeting('http://127.0.0.1:8787', readConfig({ MQ_DATA: folder }));
  return text.split('can read its secrets: set ci.user or ci.wrapper').length - 1;
};

test('the greeting warns once that checks can read the secrets of the server, unless they run apart', () => {
  expect(warningsWith({})).toBe(1);
  expect(warningsWith({ user: 'mq-checks' })).toBe(0);
  expect(warningsWith({ wrapper: ['bwrap', '--ro-bind', '/', '/'] })).toBe(0);
});
