import type { RepoRef } from '@mq/core';
import type { GiteaApi } from './api.js';
import { HOOK_EVENTS, hookOf, type WantedHook } from './examine.js';
import { hooksShape, repositoryRulesShape } from './shapes.js';

/**
 * Repairs what an examination calls repairable at a repository: manual merge marks, the webhook and its events.
 * Idempotent. Does nothing if the account of the token may not administer the repository.
 */
export const repair = async (
  api: GiteaApi,
  { owner, name }: RepoRef,
  wanted: WantedHook | null,
): Promise<void> => {
  const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const shown = await api.get(path, repositoryRulesShape, { isUrgent: true });
  if (shown?.permissions.admin !== true) return;
  if (!shown.allow_manual_merge)
    await api.call(path, { method: 'PATCH', body: { has_pull_requests: true, allow_manual_merge: true } });
  if (wanted === null) return;
  const hooks = (await api.get(`${path}/hooks?limit=50`, hooksShape)) ?? [];
  const hook = hookOf(hooks, wanted);
  if (hook !== null && HOOK_EVENTS.some((event) => !hook.events.includes(event))) {
    const events = [...new Set([...hook.events, ...HOOK_EVENTS])];
    await api.call(`${path}/hooks/${hook.id}`, { method: 'PATCH', body: { events } });
  }
  if (hook !== null || wanted.url === null) return;
  const config = { url: wanted.url, content_type: 'json', secret: wanted.secret() };
  const body = { type: 'gitea', active: true, events: HOOK_EVENTS, config };
  await api.call(`${path}/hooks`, { method: 'POST', body });
};
