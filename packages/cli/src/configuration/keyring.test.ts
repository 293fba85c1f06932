import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Io } from '../io.js';
import { writeConfiguration } from './file.js';
import { removeFromKeyring, saveInKeyring, tokenInKeyring } from './keyring.js';
import { serverFor } from './server.js';

const address = 'https://mq.example';

/** A `secret-tool` that keeps its secret in a file. */
const FAKE = `#!/bin/sh
ring="$FAKE_RING"
case "$1" in
  store) shift 3; cat > "$ring"; echo "$*" > "$ring.name" ;;
  lookup) shift; [ "$*" = "$(cat "$ring.name")" ] || { echo 'it is locked' >&2; exit 1; }; cat "$ring" ;;
  clear) rm -f "$ring" "$ring.name" ;;
esac
`;

const withKeyring = (hasProgram = true): Io => {
  const home = mkdtempSync(join(tmpdir(), 'mq-keyring-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  if (hasProgram) writeFileSync(join(home, 'secret-tool'), FAKE, { mode: 0o755 });
  const path = hasProgram ? `${home}:${process.env.PATH}` : home;
  return { env: { HOME: home, PATH: path, FAKE_RING: join(home, 'ring') } } as unknown as Io;
};

// The keyring of macOS has another program with other arguments.
test.skipIf(process.platform !== 'linux')(
  'a token in the keyring is used for the address that it was saved for, and for no other',
  async () => {
    const io = withKeyring();
    await saveInKeyring(io, address, 'secret of the ring');
    writeConfiguration(io, { current: address, servers: { [address]: { name: 'work', token: null } } });

    expect(await serverFor(io, undefined)).toEqual({ address, token: 'secret of the ring' });
    await expect(tokenInKeyring(io, 'https://evil.example')).rejects.toMatchObject({
      code: 'KEYRING_FAILED',
      message: expect.stringContaining('it is locked'),
      remedy: expect.stringContaining('mq login https://evil.example'),
    });

    await removeFromKeyring(io, address);
    await expect(serverFor(io, undefined)).rejects.toMatchObject({ code: 'KEYRING_FAILED' });
  },
);

test('a machine without a keyring is said to have none, with the way that needs none', async () => {
  await expect(saveInKeyring(withKeyring(false), address, 'secret')).rejects.toMatchObject({
    code: 'KEYRING_MISSING',
    remedy: expect.stringContaining('`mq login` without --keyring'),
  });
});
