import type { Sha } from '@mq/core';
import { forgeAt } from '@mq/test-gitea';
import { presenceConformance } from '@mq/testkit';
import { describe, expect, inject, test } from 'vitest';
import { giteaWorld } from './gitea-world.js';

const forge = forgeAt(inject('gitea'));

presenceConformance({ describe, test: test.concurrent, expect }, async () => {
  const { gitea, repo, path, open, close } = await giteaWorld(forge);
  const pr = await open({ files: { 'change.txt': 'changed\n' } });
  const { head } = await forge.api('GET', `${path}/pulls/${pr}`);
  return {
    ...{ host: gitea.presence, repo, pr, head: (head as { readonly sha: Sha }).sha, close },
    comment: async (body) => {
      const made = await forge.api('POST', `${path}/issues/${pr}/comments`, { body }, { as: 'Ada' });
      return { id: String(made.id), authorId: String((made.user as { readonly id: number }).id) };
    },
  };
});
