import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { referenceFiles } from './generate-http-reference.js';

const files = await referenceFiles();
const written = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the reference of the API is what the schemas say', () => {
  // Compared as data, because the formatter may change the layout.
  test('docs/reference/openapi.json', () => {
    const path = 'docs/reference/openapi.json';
    expect(JSON.parse(written(path))).toEqual(JSON.parse(files[path] ?? ''));
  });

  test('docs/reference/http.md', () => {
    const path = 'docs/reference/http.md';
    expect(written(path)).toBe(files[path]);
  });
});

test('the reference lists the twelve operations of the API and the further reads', () => {
  const headings = [...(files['docs/reference/http.md'] ?? '').matchAll(/^### (GET|POST) \/(\w+)$/gm)];
  expect(headings.map(([, method, name]) => `${method} ${name}`).sort()).toEqual([
    'GET events',
    'GET getMergeQueueMetrics',
    'POST cancelPullRequest',
    'POST createQueue',
    'POST createToken',
    'POST createWebhook',
    'POST deleteQueue',
    'POST deleteWebhook',
    'POST diagnose',
    'POST getMergeQueueTestingDetails',
    'POST getPullRequestTimeline',
    'POST getQueue',
    'POST getQueueAt',
    'POST getQueueSnapshot',
    'POST getQueueStatistics',
    'POST getSubmittedPullRequest',
    'POST getSubmittedPullRequests',
    'POST listDeliveries',
    'POST listExpectedChecks',
    'POST listMergeQueueTestingResults',
    'POST listPullRequests',
    'POST listQueueChanges',
    'POST listQueues',
    'POST listReceipts',
    'POST listTokens',
    'POST listWebhooks',
    'POST preview',
    'POST replayDeliveries',
    'POST reportCheck',
    'POST restartTestsOnPullRequest',
    'POST revokeToken',
    'POST rotateToken',
    'POST setImpactedTargets',
    'POST submitPullRequest',
    'POST testWebhook',
    'POST updateQueue',
    'POST updateWebhook',
    'POST waitForPullRequest',
    'POST whoami',
  ]);
});
