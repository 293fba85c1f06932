const REQUEST_LIMIT_MS = 15_000;

export interface PullRequestAnswer {
  readonly prNumber: number;
  readonly prTitle: string;
  readonly state: string;
  readonly stateChangedAt: string;
  readonly submittedAt: string;
  readonly reason?: { readonly code: string; readonly sentence: string; readonly detail: string | null };
  readonly waitingFor?: { readonly sentence: string; readonly behindPr: number | null };
  readonly verifiedByTestRun: string | null;
}

export interface RunAnswer {
  readonly testRunId: string;
  readonly testingSince: string | null;
  readonly testBranchSha: string | null;
  readonly testedPullRequests: readonly { readonly prNumber: number }[];
  readonly dependentPrs: readonly number[];
}

export interface Client {
  call<Answer>(operation: string, body?: object): Promise<Answer>;
}

/** An HTTP client of the server, for one queue. */
export const makeClient = (url: string, token: string, queue: object): Client => ({
  call: async <Answer>(operation: string, body: object = {}): Promise<Answer> => {
    const response = await fetch(`${url}/v1/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': token },
      body: JSON.stringify({ ...queue, ...body }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    const text = await response.text();
    if (response.status !== 200)
      throw new Error(`${operation} was answered with ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  },
});
