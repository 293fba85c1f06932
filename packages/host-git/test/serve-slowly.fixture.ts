import type { Sha, TestRunId } from '@mq/core';
import { gitHost } from '../src/index.js';

// A server that starts one check and is killed while it runs: `<root> <owner> <name> <run> <commit> <check> <work folder>`.
const [root = '', owner = '', name = '', run = '', commit = '', check = '', workFolder = ''] =
  process.argv.slice(2);
const host = gitHost({ repositories: { root }, workFolder });
const repo = { host: 'local', owner, name };
await host.startChecks({ repo, runId: run as TestRunId, commit: commit as Sha, names: [check] });
setInterval(() => undefined, 60_000);
