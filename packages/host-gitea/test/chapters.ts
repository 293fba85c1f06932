import { forgeAt } from '@mq/test-gitea';
import { hostConformance } from '@mq/testkit';
import { describe, expect, inject, test } from 'vitest';
import type { GiteaHostOptions } from '../src/index.js';
import { giteaWorld } from './gitea-world.js';

/**
 * Registers the tests of the `CodeHost` contract in some of its chapters. They stand in several files, so that two workers share
 * them evenly: together they take a third of the suite.
 */
export const hostChapters = (
  isAsked: (index: number, chapter: string) => boolean,
  options: Partial<GiteaHostOptions> = {},
): void => {
  const forge = forgeAt(inject('gitea'));
  let index = 0;
  hostConformance(
    {
      describe: (name, body) => {
        if (isAsked(index, name)) describe(name, body);
        index += 1;
      },
      test: test.concurrent,
      expect,
    },
    () => giteaWorld(forge, options),
  );
};

/** The first chapter of each file after the first file. A file has the chapters from there to the next one. */
export const [CONTENTS_FROM, LANDINGS_FROM] = [3, 7];
