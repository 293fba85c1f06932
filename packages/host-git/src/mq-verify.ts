#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { RECEIPTS_LIMIT_BYTES, runVerifyCommand } from './verify/command.js';
import { VerifyError } from './verify/verify-error.js';

const read = async (name: string): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of name === '-' ? process.stdin : createReadStream(name)) {
      bytes += chunk.length;
      if (bytes > RECEIPTS_LIMIT_BYTES)
        throw new VerifyError('BAD_INPUT', `${name} has more than ${RECEIPTS_LIMIT_BYTES} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof VerifyError || !(error instanceof Error)) throw error;
    throw new VerifyError('BAD_INPUT', `${name} cannot be read: ${error.message}.`, { cause: error });
  }
  return Buffer.concat(chunks).toString('utf8');
};

process.exitCode = await runVerifyCommand(process.argv.slice(2), {
  read,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
