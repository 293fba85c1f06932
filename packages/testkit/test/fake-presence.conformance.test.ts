import { describe, expect, test } from 'vitest';
import { fakeHost, personNamed, presenceConformance } from '../src/index.js';

presenceConformance({ describe, test, expect }, async () => {
  const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
  const host = fakeHost();
  const repository = host.createRepository({ ref: repo });
  const pr = repository.openPullRequest();
  const ada = personNamed('ada');
  return {
    ...{ host: host.presence, repo, pr, head: repository.pulls.get(pr)!.head },
    comment: async (body) => ({ id: repository.discussion.comment(pr, body, ada).id, authorId: ada.id }),
  };
});
