import { expect, test } from 'vitest';
import type { Plant } from '../src/build/build-app.js';
import { usedBrowser } from './browser.js';
import {
  catchesUpAfterAnOutage,
  isAccessible,
  type Parts,
  showsChangesLive,
  showsHostileSettingsAsText,
  showsHostileTextAsText,
} from './checks.js';

const { serve, open } = usedBrowser();

/**
 * The message of a failed expectation, or of a text that never appeared. Other errors mean that the check itself is
 * broken.
 */
const FOUND = /^expected |Timeout \d+ms exceeded/;

interface Fault extends Plant {
  readonly name: string;
  readonly isFoundBy: (parts: Parts) => Promise<void>;
}

const raw = (field: string) => `<span dangerouslySetInnerHTML={{ __html: ${field} }} />`;

/** One at least for each view. The check has to fail on a page that is built with the fault. */
const faults: readonly Fault[] = [
  {
    name: 'a title in the line that is not escaped',
    file: 'view/line-table.tsx',
    find: '{row.prTitle}',
    replace: raw('row.prTitle'),
    isFoundBy: (parts) => showsHostileTextAsText(parts, 'queue'),
  },
  {
    name: 'a title on the page of a pull request that is not escaped',
    file: 'view/pull.tsx',
    find: '{pull.prTitle}',
    replace: raw('pull.prTitle'),
    isFoundBy: (parts) => showsHostileTextAsText(parts, 'pull'),
  },
  {
    name: 'a log address that runs a script',
    file: 'model/links.ts',
    find: "protocol !== 'https:' && protocol !== 'http:'",
    replace: 'false',
    isFoundBy: (parts) => showsHostileTextAsText(parts, 'pull'),
  },
  {
    name: 'a title in the history that is not escaped',
    file: 'view/history.tsx',
    find: '{pull.prTitle}',
    replace: raw('pull.prTitle'),
    isFoundBy: (parts) => showsHostileTextAsText(parts, 'history'),
  },
  {
    name: 'a notice in the list of queues that is not escaped',
    file: 'view/queues.tsx',
    find: '\n        {noticeOf(summary)}\n',
    replace: raw('noticeOf(summary)'),
    isFoundBy: (parts) => showsHostileTextAsText(parts, 'queues'),
  },
  {
    name: 'a setting in a difference that is not escaped',
    file: 'view/settings.tsx',
    find: '<del>{shown(from)}</del>',
    replace: raw('shown(from)'),
    isFoundBy: showsHostileSettingsAsText,
  },
  {
    name: 'an update that is lost after a reconnect',
    file: 'data/live.ts',
    find: "say({ kind: 'changed', queue: null, cursor: null });",
    replace: '',
    isFoundBy: catchesUpAfterAnOutage,
  },
  {
    name: 'events that nothing listens to',
    file: 'data/live.ts',
    find: 'changed(message.queue);',
    replace: '',
    isFoundBy: showsChangesLive,
  },
  {
    name: 'a setting without a label',
    file: 'view/settings.tsx',
    find: '<label for={id}>{field.name}</label>',
    replace: '<span>{field.name}</span>',
    isFoundBy: (parts) => isAccessible(parts, 'settings'),
  },
  {
    name: 'a graph whose boxes are in no list',
    file: 'view/graph.tsx',
    find: 'role="list"',
    replace: '',
    isFoundBy: (parts) => isAccessible(parts, 'queue'),
  },
];

test.each(faults)('the suite finds $name', async ({ isFoundBy, ...plant }) => {
  const server = await serve(plant);
  const isNotStill = { isStill: false, isFaulty: true };
  await expect(isFoundBy({ server, open: (path) => open(server, path, isNotStill) })).rejects.toThrow(FOUND);
});
