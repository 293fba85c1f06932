import { isSameRepo, type MergeQueue, type RepoRef } from '@mq/core';
import type { FastifyRequest } from 'fastify';
import { bringsToken, type Principal } from './auth.js';
import { HttpProblem, unauthorized } from './errors.js';

export const FORK_BUILD_HEADER = 'x-forked-workflow-run-id';
const idShape = /^[0-9]{1,20}$/;

/** A build of a code host's own CI, as the host shows it. */
export interface Build {
  readonly isInProgress: boolean;
  /** What started it, e.g. `pull_request`. */
  readonly event: string;
  /** The repository that its commit comes from. */
  readonly headRepo: RepoRef;
  readonly head: string;
}

/** Reads a build of a repository by its id. Resolves with null if there is none. Rejects if the host does not answer. */
export type FindBuild = (repo: RepoRef, buildId: string) => Promise<Build | null>;

/** The principal of a request that names a build instead of a token, if the route takes one; else null. */
export const forkBuildIn = ({ headers, routeOptions }: FastifyRequest): Principal | null => {
  const id = headers[FORK_BUILD_HEADER];
  if (routeOptions.config.takesForkBuilds !== true || bringsToken(headers)) return null;
  if (typeof id !== 'string' || !idShape.test(id)) return null;
  return {
    ...{ id: `fork-build/${id}`, name: 'a build of a fork', forkBuild: id },
    ...{ scopes: new Set(['targets'] as const), repositories: [] },
  };
};

/** What an upload of a build names. */
export interface ForkUpload {
  readonly repo: RepoRef;
  readonly pr: { readonly sha?: string | undefined };
}

/** Throws 401 unless the build runs now, for a pull request from another repository, on the head that the upload names. */
export const requireForkBuild = async (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  find: FindBuild,
  buildId: string,
  { repo, pr: { sha } }: ForkUpload,
): Promise<void> => {
  const meant = mq.canonicalRepo(repo);
  const build = await find(meant, buildId).catch(() => {
    throw new HttpProblem(
      'HOST_UNREACHABLE',
      'The code host did not show the build; nothing was done. Try again.',
    );
  });
  const isRight =
    build?.isInProgress === true &&
    build.event === 'pull_request' &&
    !isSameRepo(mq.canonicalRepo(build.headRepo), meant) &&
    build.head === sha;
  if (!isRight) throw unauthorized();
};

/** Reads one upload of a build at a time from each address. */
export class ForkUploads {
  readonly #addresses = new Set<string>();

  /**
   * Returns an idempotent function that ends the upload. Throws OVERLOADED while another upload of this address is
   * read.
   */
  enter(address: string): () => void {
    if (this.#addresses.has(address))
      throw new HttpProblem(
        'OVERLOADED',
        'One upload without a token is read at a time from one address; nothing was done. Try again, or use a token.',
      );
    this.#addresses.add(address);
    return () => void this.#addresses.delete(address);
  }
}
