import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuildCandidateRequest, Sha } from '@mq/core';
import { git, makePlace, NAME, OWNER, type Place } from '@mq/test-git';
import { onTestFinished, vi } from 'vitest';
import { type Mirror, openMirror } from '../src/remote/mirror.js';
import { connectionsOfOneServer } from '../src/remote/transport.js';
import { asked } from './requests.js';

/** A repository that is served over HTTP, and a mirror of it. */
export interface MirrorWorld {
  readonly place: Place;
  /** The folder of the mirror. */
  readonly path: string;
  readonly mirror: Mirror;
  /** Opens the mirror again, as a process does that starts later. */
  reopen(): Promise<Mirror>;
}

/** Ends with the test, together with all changes of the environment. */
export const mirrorWorld = async (): Promise<MirrorWorld> => {
  const place = await makePlace();
  onTestFinished(() => place.end());
  onTestFinished(() => void vi.unstubAllEnvs());
  await git(place.bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  await git(place.bare, 'config', 'http.receivepack', 'true');
  const address = await serve(place.root);
  const path = join(place.root, 'mirror.git');
  const reopen = () =>
    openMirror({
      ...{ path, format: 'sha1', url: `${address}/${OWNER}/${NAME}.git` },
      ...{ settings: async () => ({}), stop: new AbortController().signal },
      connections: connectionsOfOneServer(),
    });
  return { place, path, mirror: await reopen(), reopen };
};

const serve = async (root: string): Promise<string> => {
  const folder = (await promisify(execFile)('git', ['--exec-path'])).stdout.trim();
  const server = createServer((request, response) =>
    answer(join(folder, 'git-http-backend'), root, request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
};

const headerOf = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? '');

/** Answers by the CGI program of git. */
const answer = (program: string, root: string, request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const length = headerOf(request, 'content-length');
  const child = spawn(program, [], {
    env: {
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: root, REMOTE_USER: 'ada' },
      ...{
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: headerOf(request, 'git-protocol'),
      },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: headerOf(request, 'content-type') },
      ...{ HTTP_CONTENT_ENCODING: headerOf(request, 'content-encoding') },
      ...(length === '' ? {} : { CONTENT_LENGTH: length }),
    },
  });
  const out: Buffer[] = [];
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.on('close', () => respond(response, Buffer.concat(out)));
  request.pipe(child.stdin);
};

const respond = (response: ServerResponse, all: Buffer): void => {
  const end = all.indexOf('\r\n\r\n');
  for (const line of all.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(': ');
    if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
    else if (name !== '') response.setHeader(name, value);
  }
  response.end(all.subarray(end + 4));
};

/** The request for a squash of one pull request. */
export const squashOf = (pr: number, head: Sha, base: Sha): BuildCandidateRequest => ({
  ...{ ...asked, base, method: 'squash' },
  parts: [{ pr, head, message: { title: `Land #${pr}`, body: '' } }],
});
