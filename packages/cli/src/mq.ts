#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processIo } from './process-io.js';
import { runMq } from './run.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

process.exitCode = await runMq(process.argv.slice(2), processIo(), version);
