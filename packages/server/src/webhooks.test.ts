import { aQueue } from '@mq/testkit';
import { expect, test } from 'vitest';
import { pagePath } from './webhooks.js';

test('the link of a webhook is the address of the page, with the slashes within a part encoded', () => {
  const repo = { host: 'local', owner: 'acme/tools', name: 'widgets' };
  const queue = aQueue({ repo, branch: 'release/1.0' });
  expect(pagePath(queue, 41)).toBe('/local/acme%2Ftools/widgets/release%2F1.0/41');
});
