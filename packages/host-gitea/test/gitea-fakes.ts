import type { Sha } from '@mq/core';
import { shaOf } from '@mq/testkit';
import { GiteaApi } from '../src/api.js';
import { type GiteaPull, pullShape } from '../src/shapes.js';

/** The tip of the target of `aGiteaPull`. */
export const TIP: Sha = shaOf(1000);

/** An open pull request as Gitea returns it. */
export const aGiteaPull = (number: number): GiteaPull =>
  pullShape.parse({
    ...{ number, title: `Pull request ${number}`, body: '', html_url: 'http://localhost', user: null },
    ...{ state: 'open', draft: false, merged: false, merge_commit_sha: null },
    base: { ref: 'main', sha: TIP, repo_id: 1 },
    head: { ref: `change/${number}`, sha: shaOf(number), repo_id: 1 },
  });

/** An API without a server, for tests that replace its calls or make none. */
export class ServerlessApi extends GiteaApi {
  constructor() {
    super({ url: 'http://localhost', token: () => 'token', stop: new AbortController().signal });
  }
}
