import type { Sha } from '@mq/core';
import type { FakeRepository } from '../fake-host/fake-repository.js';
import type { Content } from '../scenarios/driver.js';

export const contentOf = (branch: string, repository: FakeRepository, commit: Sha): Content =>
  [branch, ...repository.contents(commit)].join('+');
