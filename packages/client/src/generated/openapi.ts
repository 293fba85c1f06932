// Made by `npm run generate` from docs/reference/openapi.json; do not edit it by hand.

export interface paths {
    "/submitPullRequest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a pull request to the queue for testing and merging.
         * @description Needs the scope `submit`.
         */
        post: operations["submitPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cancelPullRequest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a pull request from the queue.
         * @description Needs the scope `cancel`.
         */
        post: operations["cancelPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/restartTestsOnPullRequest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-run tests on a pull request currently in the queue.
         * @description Needs the scope `submit`.
         */
        post: operations["restartTestsOnPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getSubmittedPullRequest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a pull request that was submitted to the queue, by its number or its head branch.
         * @description Needs the scope `read`.
         */
        post: operations["getSubmittedPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getSubmittedPullRequests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get several pull requests that were submitted to the queue.
         * @description Needs the scope `read`.
         */
        post: operations["getSubmittedPullRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waitForPullRequest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait until a pull request is merged, has failed or was cancelled, or is in another state.
         * @description Needs the scope `read`.
         */
        post: operations["waitForPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getPullRequestTimeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get what happened to a pull request, also in a queue that was deleted.
         * @description Needs the scope `read`. For a queue with `publicRead` it needs no token.
         */
        post: operations["getPullRequestTimeline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listPullRequests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the pull requests of the queue, by state and time, newest first.
         * @description Needs the scope `read`.
         */
        post: operations["listPullRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setImpactedTargets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the impacted targets of a pull request, for one head of it.
         * @description Needs the scope `targets`. Where the service can see builds of the code host, a build of a fork needs no token: its list counts as that of a fork.
         */
        post: operations["setImpactedTargets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/createQueue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new merge queue for a branch.
         * @description Needs the scope `queue:write`.
         */
        post: operations["createQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/updateQueue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Update the configuration of a queue and its state. Omitted settings stay as they are.
         * @description Needs the scope `queue:write`.
         */
        post: operations["updateQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deleteQueue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete an empty merge queue. Deleting one that does not exist is not an error.
         * @description Needs the scope `queue:delete`.
         */
        post: operations["deleteQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getQueue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a merge queue with all pull requests in it.
         * @description Needs the scope `read`.
         */
        post: operations["getQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getQueueSnapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get what the page of a queue shows, or what has changed in it since the last answer.
         * @description Needs the scope `read`. For a queue with `publicRead` it needs no token.
         */
        post: operations["getQueueSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getQueueStatistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get what a queue did over time: landings, time in queue, CI time, failures of checks.
         * @description Needs the scope `read`. For a queue with `publicRead` it needs no token.
         */
        post: operations["getQueueStatistics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getQueueAt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the whole queue as it was at a past moment.
         * @description Needs the scope `read`. For a queue with `publicRead` it needs no token.
         */
        post: operations["getQueueAt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listQueueChanges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List what happened to the queue itself: settings, states, alarms. Newest first.
         * @description Needs the scope `read`.
         */
        post: operations["listQueueChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listQueues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List merge queues, of one repository or of all that the token may name.
         * @description Needs the scope `read`.
         */
        post: operations["listQueues"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what a command would do now, without carrying it out.
         * @description Needs the scope `read`.
         */
        post: operations["preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getMergeQueueTestingDetails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get details of test runs: of one, of those of a pull request, or of all that are open.
         * @description Needs the scope `read`.
         */
        post: operations["getMergeQueueTestingDetails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listMergeQueueTestingResults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List ended test runs, newest first, one entry per pull request and run.
         * @description Needs the scope `read`.
         */
        post: operations["listMergeQueueTestingResults"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listExpectedChecks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the checks that your CI is to run, or wait until there is one.
         * @description Needs the scope `checks`.
         */
        post: operations["listExpectedChecks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reportCheck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how a check of a test run goes, or how it ended.
         * @description Needs the scope `checks`.
         */
        post: operations["reportCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listReceipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the receipts of the landings of a queue, in the order of their chain.
         * @description Needs the scope `read`.
         */
        post: operations["listReceipts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get what the token of this request may do, and until when.
         * @description Needs a valid token.
         */
        post: operations["whoami"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/createToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token with at most the rights of the token of this request.
         * @description Needs the scope `tokens`.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rotateToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a token by a new one; the old one stays valid for an overlap.
         * @description Needs the scope `tokens`.
         */
        post: operations["rotateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listTokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the tokens that the token of this request made, itself or through them, newest first.
         * @description Needs the scope `tokens`.
         */
        post: operations["listTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/revokeToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token that your token created, together with all tokens that it created.
         * @description Needs the scope `tokens`.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/createWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a webhook: what happens from now on is posted to its address, signed.
         * @description Needs the scope `webhooks`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listWebhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the webhooks that the token of this request made, itself or through others, newest first.
         * @description Needs the scope `webhooks`.
         */
        post: operations["listWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/updateWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change a webhook, end or begin its deliveries, or make a new secret.
         * @description Needs the scope `webhooks`.
         */
        post: operations["updateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deleteWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a webhook with its deliveries. Deleting one that does not exist is not an error.
         * @description Needs the scope `webhooks`.
         */
        post: operations["deleteWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/testWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have an event of the type `webhook.test` delivered.
         * @description Needs the scope `webhooks`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/listDeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List what was delivered to a webhook, or is to be, newest first.
         * @description Needs the scope `webhooks`.
         */
        post: operations["listDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/replayDeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries again: some by id, or all of a range, at most 1000 per request.
         * @description Needs the scope `webhooks`.
         */
        post: operations["replayDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/diagnose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find present and coming problems of the service and its queues.
         * @description Needs a valid token.
         */
        post: operations["diagnose"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/badge/{host}/{owner}/{name}/{branch}.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of a queue as a picture for a page.
         * @description Needs the scope `read`. For a queue with `publicRead` it needs no token. Slashes within a part of the path are encoded as `%2F`. Clients may keep it for 30 seconds.
         */
        get: operations["getBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow pull requests and queues as server-sent events.
         * @description Needs the scope `read`. A stream of one queue with `publicRead` needs no token. The stream resumes after the event that `Last-Event-ID` names. If events are missing, an event `reset` has the current state of the queue.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getMergeQueueMetrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics of the queues in the text exposition format.
         * @description Needs the scope `metrics`. Give both `repo` and `repoHost`, or neither.
         */
        get: operations["getMergeQueueMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Repository. */
        Repository: {
            /** @description Name of the code host in the configuration of this service. */
            host: string;
            /** @description Owner or organisation; may contain slashes. */
            owner: string;
            /** @description Name of the repository. */
            name: string;
        };
        /** @description Pull request. */
        PullRequestNumber: {
            /** @description Pull request number. */
            number: number;
        };
        /** @description Pull request. */
        PullRequestHead: {
            /** @description Pull request number. */
            number: number;
            /** @description The expected head commit. Default: the present one. */
            sha?: string;
        };
        PullRequestBranch: {
            /** @description The head branch of a pull request that was submitted to this queue. */
            branch: string;
        };
        /** @description Pull request, by number or by head branch. */
        PullRequestIdentifier: components["schemas"]["PullRequestNumber"] | components["schemas"]["PullRequestBranch"];
        PullRequestRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestNumber"];
        };
        /** @enum {string} */
        PriorityName: "urgent" | "high" | "medium" | "low";
        /** @enum {string} */
        SubmissionState: "not_ready" | "pending" | "testing" | "tests_passed" | "pending_failure" | "merged" | "failed" | "cancelled";
        Actor: {
            kind: string;
            name: string;
            /** @description The person behind the token; absent if none was named. */
            person?: string;
            /** @description The id of the token; absent if the request had none. */
            tokenId?: string;
        };
        QueueRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
        };
        QueueSettingsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description `single`: one line of pull requests. `parallel`: lanes by impacted targets. */
            mode?: components["schemas"]["QueueMode"];
            /** @description Test runs at once. */
            concurrency?: number;
            /** @description Test runs at once while a failed batch is bisected. Default in createQueue: the value of `concurrency`. null: follows `concurrency` from now on. */
            bisectionConcurrency?: number | null;
            /** @description Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`. */
            autoConcurrency?: boolean;
            /** @description Minutes that a test run may take, also one that has started already. 0: no timeout. */
            testingTimeoutMinutes?: number;
            /** @description After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged. */
            pendingFailureDepth?: number;
            /** @description Whether a test run that passes counts for every pull request that it was stacked on. */
            canOptimisticallyMerge?: boolean;
            /** @description Whether pull requests are tested in batches. */
            batch?: boolean;
            /** @description Minutes after which a batch starts that is not full. */
            batchingMaxWaitTimeMinutes?: number;
            /** @description Size at which a batch starts at once, and the largest it can have. */
            batchingMinSize?: number;
            /** @description Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`. */
            autoBatching?: boolean;
            /** @description Whether test branches get a draft pull request, where the code host can have one. */
            createPrsForTestingBranches?: boolean;
            /** @description Whether the queue comments on pull requests. */
            commentsEnabled?: boolean;
            /** @description Whether the queue takes commands from comments. */
            commandsEnabled?: boolean;
            /** @description Whether the queue reports a check of its own on pull requests. */
            statusCheckEnabled?: boolean;
            /** @description Whether browser extensions may offer the queue. */
            extensionEnabled?: boolean;
            /** @description The label that submits a pull request. */
            enqueueingLabel?: string;
            /** @description Whether that label submits pull requests. */
            labelCommandsEnabled?: boolean;
            /** @description Whether the queue labels pull requests with their state. */
            stateLabelsEnabled?: boolean;
            /** @description Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never. */
            notReadyTimeoutHours?: number;
            /** @description How a test branch gets its name, where the code host builds it on a branch. */
            testBranchConstructionMode?: components["schemas"]["TestBranchConstructionMode"];
            /** @description Bots that may submit pull requests. */
            allowedBotSubmitters?: string[];
            /** @description Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: "isolate"}`. */
            batchingRules?: components["schemas"]["BatchingRuleRequest"][];
            /** @description `always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run. */
            directMergeMode?: components["schemas"]["DirectMergeMode"];
            /** @description `bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others. */
            optimizationMode?: components["schemas"]["OptimizationMode"];
            /** @description Whether a culprit is tested once more before it is failed. */
            confirmBeforeFailing?: boolean;
            /** @description Whether impacted targets that a fork computed count like trusted ones. */
            trustForkTargets?: boolean;
            /** @description How a pull request becomes a commit of the target branch. */
            mergeMethod?: components["schemas"]["MergeMethod"];
            /**
             * Format: date-time
             * @description Instant before which no pull request starts or merges. Test runs that have begun finish, a merge under way settles, `state` stays as it is, and `notReadyTimeoutHours` stands still. null or an instant in the past: no freeze.
             */
            freezeUntil?: string | null;
            /** @description Reason for the freeze, shown with every wait for its end. */
            freezeReason?: string | null;
            /** @description Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only. */
            freezeAllowsUrgent?: boolean;
            /** @description Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge. */
            publicRead?: boolean;
            /** @description Checks that must pass. null: those that the branch rules of the code host require. `[]`: no check is needed; it must come with `allowNoRequiredStatuses: true`. A list equal to the one in force changes nothing. */
            requiredStatuses?: string[] | null;
            /** @description True removes the override of the required checks, like requiredStatuses: null. */
            deleteRequiredStatuses?: boolean;
            /** @description True, together with requiredStatuses: [], means that no check is needed. */
            allowNoRequiredStatuses?: boolean;
            /** @description True confirms that trustForkTargets: true is meant for a public repository. */
            allowPublicForkTargets?: boolean;
            /** @description queue stores the list in the same request as an override; host follows the branch rules; null is ignored. */
            requiredStatusesSource?: components["schemas"]["RequiredStatusesSource"] | null;
            /** @description True, with the state draining, cancels everything without a test run, now and until the state changes. */
            cancelPending?: boolean;
            /** @description The requested state; switching_modes cannot be requested. */
            state?: components["schemas"]["WantedQueueState"];
            /** @description The reason, shown with every wait. The object of an answer is accepted too; null means no reason. */
            stateReason?: string | null;
        };
        Queue: {
            state: components["schemas"]["QueueState"];
            /** @description Actor, reason and time of the present state; null if it was not requested. */
            stateReason: components["schemas"]["QueueStateReason"] | null;
            /** @description The state that the owner requested, if the queue has stopped by itself; absent if that is running. */
            stateAskedFor?: components["schemas"]["QueueStateAskedFor"];
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            branch: string;
            /** @description The requested mode. */
            mode: components["schemas"]["QueueMode"];
            /** @description Test runs at once. */
            concurrency: number;
            /** @description Number of simultaneous test runs of bisection. */
            bisectionConcurrency: number;
            /** @description Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`. */
            autoConcurrency: boolean;
            /** @description Minutes that a test run may take, also one that has started already. 0: no timeout. */
            testingTimeoutMinutes: number;
            /** @description After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged. */
            pendingFailureDepth: number;
            /** @description Whether a test run that passes counts for every pull request that it was stacked on. */
            canOptimisticallyMerge: boolean;
            /** @description Whether pull requests are tested in batches. */
            batch: boolean;
            /** @description Minutes after which a batch starts that is not full. */
            batchingMaxWaitTimeMinutes: number;
            /** @description Size at which a batch starts at once, and the largest it can have. */
            batchingMinSize: number;
            /** @description Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`. */
            autoBatching: boolean;
            /** @description Whether test branches get a draft pull request, where the code host can have one. */
            createPrsForTestingBranches: boolean;
            /** @description Whether the queue comments on pull requests. */
            commentsEnabled: boolean;
            /** @description Whether the queue takes commands from comments. */
            commandsEnabled: boolean;
            /** @description Whether the queue reports a check of its own on pull requests. */
            statusCheckEnabled: boolean;
            /** @description Whether browser extensions may offer the queue. */
            extensionEnabled: boolean;
            /** @description The label that submits a pull request. */
            enqueueingLabel: string;
            /** @description Whether that label submits pull requests. */
            labelCommandsEnabled: boolean;
            /** @description Whether the queue labels pull requests with their state. */
            stateLabelsEnabled: boolean;
            /** @description Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never. */
            notReadyTimeoutHours: number;
            /** @description How a test branch gets its name, where the code host builds it on a branch. */
            testBranchConstructionMode: components["schemas"]["TestBranchConstructionMode"];
            /** @description Bots that may submit pull requests. */
            allowedBotSubmitters: string[];
            /** @description Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: "isolate"}`. */
            batchingRules: components["schemas"]["BatchingRule"][];
            /** @description `always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run. */
            directMergeMode: components["schemas"]["DirectMergeMode"];
            /** @description `bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others. */
            optimizationMode: components["schemas"]["OptimizationMode"];
            /** @description Whether a culprit is tested once more before it is failed. */
            confirmBeforeFailing: boolean;
            /** @description Whether impacted targets that a fork computed count like trusted ones. */
            trustForkTargets: boolean;
            /** @description How a pull request becomes a commit of the target branch. */
            mergeMethod: components["schemas"]["MergeMethod"];
            /**
             * Format: date-time
             * @description Instant before which no pull request starts or merges. Test runs that have begun finish, a merge under way settles, `state` stays as it is, and `notReadyTimeoutHours` stands still. null or an instant in the past: no freeze.
             */
            freezeUntil: string | null;
            /** @description Reason for the freeze, shown with every wait for its end. */
            freezeReason: string | null;
            /** @description Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only. */
            freezeAllowsUrgent: boolean;
            /** @description Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge. */
            publicRead: boolean;
            /** @description The checks in force: the override of the queue, or else those of the branch rules. */
            requiredStatuses: string[];
            /** @description The mode in force. It differs from mode while the queue is switching modes. */
            activeMode: components["schemas"]["QueueMode"];
            /** @description Number of simultaneous test runs in force: `concurrency`, or fewer with `autoConcurrency`. */
            activeConcurrency: number;
            /** @description Size of a full batch in force: `batchingMinSize`, or less with `autoBatching`. */
            activeBatchSize: number;
            /** @description True if the queue drains and cancels everything without a test run. */
            cancelPending: boolean;
            /** @description The source of the list: the queue (an override) or the host (the branch rules). Null if there is no list; then nothing is merged. */
            requiredStatusesSource: components["schemas"]["RequiredStatusesSource"] | null;
            /** @description The number of changes of the settings. Together with queueId it forms the ETag. */
            settingsVersion: number;
            /**
             * Format: uuid
             * @description The permanent id of the queue, also after it is deleted.
             */
            queueId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was deleted; absent while it exists.
             */
            deletedAt?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** @enum {string} */
        QueueState: "running" | "paused" | "draining" | "switching_modes";
        /** @enum {string} */
        WantedQueueState: "running" | "paused" | "draining";
        /**
         * @description The requested mode.
         * @enum {string}
         */
        QueueMode: "single" | "parallel";
        /**
         * @description How a pull request becomes a commit of the target branch.
         * @enum {string}
         */
        MergeMethod: "merge_commit" | "squash" | "rebase";
        /**
         * @description `always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run.
         * @enum {string}
         */
        DirectMergeMode: "off" | "always";
        /**
         * @description `bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others.
         * @enum {string}
         */
        OptimizationMode: "off" | "bisection_skip_redundant_tests";
        /**
         * @description How a test branch gets its name, where the code host builds it on a branch.
         * @enum {string}
         */
        TestBranchConstructionMode: "rename_temp_branch" | "push_new_branch_from_temp";
        /** @enum {string} */
        RequiredStatusesSource: "queue" | "host";
        BatchingRule: {
            targetPattern: string;
            /** @constant */
            policy: "isolate";
        };
        BatchingRuleRequest: {
            targetPattern: string;
            /** @constant */
            policy: "isolate";
        };
        QueueStateReason: {
            code: string;
            sentence: string;
            actor: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            at: string;
        };
        QueueStateAskedFor: {
            state: components["schemas"]["StoppedQueueState"];
            /** @description Actor, reason and time of the present state; null if it was not requested. */
            reason: components["schemas"]["QueueStateReason"] | null;
        };
        /** @enum {string} */
        StoppedQueueState: "paused" | "draining";
        QueueCounts: {
            /** @description Admitted pull requests. */
            enqueued: number;
            /** @description Those of them whose tests have begun. */
            begun: number;
            /** @description Pull requests that are not ready. */
            notReady: number;
            /** @description Test runs in progress, of at most `activeConcurrency` of the queue. */
            slotsInUse: number;
            /** @description Test runs of bisection in progress, and baseline runs. */
            bisectionSlotsInUse: number;
        };
        QueueAlarm: {
            /** @description The number of its row in the history. */
            sequence: number;
            code: string;
            sentence: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            timestamp: string;
        };
        LandingInProgress: {
            prNumbers: number[];
            testRunId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            since: string;
        };
        SnapshotPullRequest: {
            prNumber: number;
            prTitle: string;
            prAuthor: string;
            prUrl: string;
            prSha: string;
            attempt: number;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            stateChangedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            submittedAt: string;
            priorityValue: number;
            priorityName: components["schemas"]["PriorityName"];
            /** @description True if it is urgent. */
            skipTheLine: boolean;
            noBatch: boolean;
            /** @description Its rank in the order of getQueue, from 1; null if it is not admitted. */
            position: number | null;
            /** @description The number of the first pull request of its lane: those that are connected by overlapping targets. Null if it is not admitted. */
            lane: number | null;
            /** @description Its newest open test run, under `testRuns`; null if it has none. */
            testRunId: string | null;
            /** @description What it waits for; absent once it has left the queue. */
            waitingFor?: components["schemas"]["WaitingFor"];
            /** @description Absent until it was computed, and behind the first 50 pull requests of the line. */
            estimatedTimeToMerge?: components["schemas"]["EstimatedTimeToMerge"];
        };
        SnapshotTestRun: {
            testRunId: string;
            /** @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests. */
            purpose: components["schemas"]["TestPurpose"];
            state: components["schemas"]["SnapshotTestRunState"];
            /** @description How it ended; null until then. */
            outcome: components["schemas"]["TestOutcome"] | null;
            /** @description The pull requests that it tests; empty for a baseline run. */
            prNumbers: number[];
            /** @description The pull requests below them that have not landed, in order; empty on the bare target. */
            testedOnTopOf: number[];
            baseSha: string;
            /** @description Null until the candidate is built. */
            testBranch: string | null;
            testBranchSha: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            testingSince: string | null;
            /**
             * Format: date-time
             * @description When it times out; null without a timeout.
             */
            deadlineAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            endedAt: string | null;
            /** @description The failed test run whose culprit it searches for; null if it is not part of a bisection. */
            bisects: string | null;
            requiredStatuses: string[];
            /** @description The checks that have begun, at most 100. */
            checks: components["schemas"]["SnapshotCheck"][];
            /** @description What it waits for, or how it ended. */
            explanation: string;
        };
        /** @enum {string} */
        SnapshotTestRunState: "building" | "testing" | "ended";
        SnapshotCheck: {
            name: string;
            source: string;
            status: components["schemas"]["CheckRunStatus"];
            /** @description In upper case; null until it has ended. */
            conclusion: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            completedAt: string | null;
            summary: string | null;
            /** @description True if getMergeQueueTestingDetails answers the address of its log. */
            hasLog: boolean;
        };
        SnapshotEndedPullRequest: {
            prNumber: number;
            prTitle: string;
            prAuthor: string;
            prUrl: string;
            prSha: string;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            submittedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            endedAt: string;
            reason: components["schemas"]["Reason"] | null;
            /** @description Null if the queue did not land it. */
            landedCommit: string | null;
            /** @description The test run whose failure ended it; null if there is none. */
            failedTestRun: string | null;
        };
        SnapshotPullRequests: {
            rows: components["schemas"]["SnapshotPullRequest"][];
            /** @description Numbers of rows to remove. */
            removed: number[];
            /** @description The numbers of all rows, in order; absent if as before. */
            order?: number[];
            /** @description How many more there are than the limit. */
            more: number;
        };
        SnapshotTestRuns: {
            rows: components["schemas"]["SnapshotTestRun"][];
            /** @description Ids of rows to remove. */
            removed: string[];
            /** @description The ids of all rows, in order; absent if as before. */
            order?: string[];
            /** @description How many more there are than the limit. */
            more: number;
        };
        SnapshotEndedPullRequests: {
            rows: components["schemas"]["SnapshotEndedPullRequest"][];
            /** @description Numbers of rows to remove. */
            removed: number[];
            /** @description The numbers of all rows, in order; absent if as before. */
            order?: number[];
        };
        QueueChange: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            timestamp: string;
            /** @description `settings`: a client changed the settings or the state. `alarm`: something that an operator has to check. `adaptation`: the queue changed its concurrency or batch size. */
            kind: components["schemas"]["QueueChangeKind"];
            /** @description What has changed. */
            sentence: string;
            /** @description Who changed it; null if the queue did. */
            actor: components["schemas"]["Actor"] | null;
        };
        /** @enum {string} */
        QueueChangeKind: "settings" | "alarm" | "adaptation";
        PastPullRequest: {
            prNumber: number;
            prTitle: string;
            prAuthor: string;
            attempt: number;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            stateChangedAt: string;
            /** @description The code of the reason for its state; null if none is recorded. */
            reason: string | null;
            /** @description Its rank in the order of getQueue, from 1; null if it was not admitted. */
            position: number | null;
            /** @description Its newest open test run, under `testRuns`; null if it had none. */
            testRunId: string | null;
        };
        PastTestRun: {
            testRunId: string;
            /** @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests. */
            purpose: components["schemas"]["TestPurpose"];
            state: components["schemas"]["SnapshotTestRunState"];
            /** @description How it ended; null until then. */
            outcome: components["schemas"]["TestOutcome"] | null;
            /** @description The pull requests that it tested; empty for a baseline run. */
            prNumbers: number[];
            /** @description The pull requests ahead that were in its candidate. */
            testedOnTopOf: number[];
            baseSha: string;
            /** @description Null until the candidate was built. */
            testBranchSha: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            testingSince: string | null;
        };
        StatisticsOfSpan: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            since: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            until: string;
            landed: number;
            failed: number;
            cancelled: number;
            /** @description From admission to landing, at most 5 % off; null if nothing landed. */
            timeInQueue: components["schemas"]["TimeInQueue"] | null;
            /** @description CI time by cause, most first. */
            ciMinutes: components["schemas"]["CiMinutes"][];
            /** @description Checks that ended, most failures first, at most 50. */
            checks: components["schemas"]["CheckStatistics"][];
        };
        /** @enum {string} */
        StatisticsBucket: "hour" | "day" | "week";
        TimeInQueue: {
            medianMs: number;
            p95Ms: number;
        };
        CiMinutes: {
            /** @description What the test run was for, as in getMergeQueueTestingDetails. */
            purpose: string;
            /** @description Why the test run was closed, as `closedBecause` there. */
            cause: string;
            /** @description True if the test run decided something: a failure, or a pass that merged. */
            used: boolean;
            minutes: number;
        };
        CheckStatistics: {
            name: string;
            tests: number;
            /** @description Failed tests, flakes included. */
            failures: number;
            /** @description Failures by chance: the same pull request passed when it was tested again to confirm the failure. */
            flakes: number;
            /** @description `failures` of `tests`. */
            failureRate: number;
            /** @description `flakes` of `tests`. */
            flakeRate: number;
        };
        SubmittedPullRequest: {
            /**
             * Format: uuid
             * @description Never changes for a pull request in a queue.
             */
            id: string;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            stateChangedAt: string;
            /** @description The number of its stays in the queue, from 1. */
            attempt: number;
            priorityValue: number;
            priorityName: components["schemas"]["PriorityName"];
            /** @description The priority that applies without an explicit one. */
            usedDefaultPriorityName: components["schemas"]["PriorityName"];
            /** @description True if it is urgent, by `skipTheLine` or by priority 0. */
            skipTheLine: boolean;
            noBatch: boolean;
            forceEnqueued: boolean;
            prNumber: number;
            prTitle: string;
            prSha: string;
            prBaseBranch: string;
            prAuthor: string;
            prUrl: string;
            /** @description Its newest test run that still counts; absent if there is none. */
            testRunId?: string;
            /** @description Why it entered its state; absent if no reason is recorded. */
            reason?: components["schemas"]["Reason"];
            /** @description What it waits for; absent once it has left the queue. */
            waitingFor?: components["schemas"]["WaitingFor"];
            isCurrentlySubmittedToQueue: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            submittedAt: string;
            readiness: components["schemas"]["Readiness"];
            /** @description The test run that proved the landed commit; null after a direct merge, where its own checks did, and if the queue did not land it. */
            verifiedByTestRun: string | null;
            /** @description The test run whose failure ended it or holds it; null if there is none. */
            failedTestRun: string | null;
            /** @description The state of its queue. */
            queueState: components["schemas"]["QueueState"];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        FoundPullRequest: {
            /**
             * Format: uuid
             * @description Never changes for a pull request in a queue.
             */
            id: string;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            stateChangedAt: string;
            /** @description The number of its stays in the queue, from 1. */
            attempt: number;
            priorityValue: number;
            priorityName: components["schemas"]["PriorityName"];
            /** @description The priority that applies without an explicit one. */
            usedDefaultPriorityName: components["schemas"]["PriorityName"];
            /** @description True if it is urgent, by `skipTheLine` or by priority 0. */
            skipTheLine: boolean;
            noBatch: boolean;
            forceEnqueued: boolean;
            prNumber: number;
            prTitle: string;
            prSha: string;
            prBaseBranch: string;
            prAuthor: string;
            prUrl: string;
            /** @description Its newest test run that still counts; absent if there is none. */
            testRunId?: string;
            /** @description Why it entered its state; absent if no reason is recorded. */
            reason?: components["schemas"]["Reason"];
            /** @description What it waits for; absent once it has left the queue. */
            waitingFor?: components["schemas"]["WaitingFor"];
            isCurrentlySubmittedToQueue: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            submittedAt: string;
            readiness: components["schemas"]["Readiness"];
            /** @description The test run that proved the landed commit; null after a direct merge, where its own checks did, and if the queue did not land it. */
            verifiedByTestRun: string | null;
            /** @description The test run whose failure ended it or holds it; null if there is none. */
            failedTestRun: string | null;
            /** @description The state of its queue. */
            queueState: components["schemas"]["QueueState"];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
            /**
             * Format: uuid
             * @description The id of its queue, which also reads the history of a deleted queue.
             */
            queueId: string;
            /** @description Its rank in the order of getQueue, from 1; null if it is not admitted. */
            position: number | null;
            /** @description How many pull requests must land before it; 0 if it is next, null if it is not admitted. */
            aheadInLane: number | null;
            /** @description What to do now, or what the queue does by itself. */
            remedy: string;
            /** @description The test run whose failure ended it or holds it; null if there is none. */
            failure: components["schemas"]["Failure"] | null;
            /** @description Who caused its terminal state; null while it is live. */
            endedBy: components["schemas"]["Actor"] | null;
            /** @description The commit as which the queue landed it; null if it is not merged, or not by the queue. */
            landedCommit: string | null;
            /** @description The timeline, newest first; present if requested. */
            timeline?: components["schemas"]["TimelineEntry"][];
            /** @description Each stay in the queue, newest first; present together with the timeline. */
            attempts?: components["schemas"]["Attempt"][];
            /** @description False if older entries were omitted. */
            timelineIsComplete?: boolean;
            /** @description Present if requested. Assumes that everything passes from now on. */
            estimatedTimeToMerge?: components["schemas"]["EstimatedTimeToMerge"];
        };
        EnqueuedPullRequest: {
            /**
             * Format: uuid
             * @description Never changes for a pull request in a queue.
             */
            id: string;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            stateChangedAt: string;
            /** @description The number of its stays in the queue, from 1. */
            attempt: number;
            priorityValue: number;
            priorityName: components["schemas"]["PriorityName"];
            /** @description The priority that applies without an explicit one. */
            usedDefaultPriorityName: components["schemas"]["PriorityName"];
            /** @description True if it is urgent, by `skipTheLine` or by priority 0. */
            skipTheLine: boolean;
            noBatch: boolean;
            forceEnqueued: boolean;
            prNumber: number;
            prTitle: string;
            prSha: string;
            prBaseBranch: string;
            prAuthor: string;
            prUrl: string;
            /** @description Its newest test run that still counts; absent if there is none. */
            testRunId?: string;
            /** @description Why it entered its state; absent if no reason is recorded. */
            reason?: components["schemas"]["Reason"];
            /** @description What it waits for; absent once it has left the queue. */
            waitingFor?: components["schemas"]["WaitingFor"];
        };
        Readiness: {
            requiresImpactedTargets: boolean;
            hasImpactedTargets: boolean;
            doesBaseBranchMatch: boolean;
            hostMergeability: components["schemas"]["Mergeability"];
            /** @description The same value under the name that older clients read. */
            gitHubMergeability: components["schemas"]["Mergeability"];
        };
        /** @enum {string} */
        Mergeability: "unspecified" | "in_progress" | "mergeable" | "not_mergeable";
        /** @description What it waits for; absent once it has left the queue. */
        WaitingFor: {
            code: string;
            sentence: string;
            /** @description The pull request that it waits behind; null if there is none. */
            behindPr: number | null;
            /**
             * Format: date-time
             * @description The latest time of the next step; null if unknown.
             */
            until: string | null;
            /** @description The chain, nearest first, at most 12; absent in lists. The codes are in the page of reasons. */
            causes?: components["schemas"]["Cause"][];
            /** @description What would end the wait, and by when if that is known; absent in lists. */
            remedy?: string;
        };
        Cause: {
            code: string;
            sentence: string;
            /** @description The pull request concerned; null if there is none. */
            pr: number | null;
            /** @description The test run that is awaited or that failed; null if there is none. */
            testRunId: string | null;
            /** @description The checks that are awaited or that failed. */
            checks: string[];
            /**
             * Format: date-time
             * @description The latest time at which the queue continues by itself; null if unknown.
             */
            until: string | null;
        };
        /** @description Why it entered its state; absent if no reason is recorded. */
        Reason: {
            code: string;
            sentence: string;
            detail: string | null;
        };
        Failure: {
            testRunId: string;
            /** @description The checks that decided; empty if the test run timed out before any had ended. */
            failingChecks: components["schemas"]["FailingCheck"][];
            /** @description The other pull requests of its batch. */
            testedWith: number[];
            /** @description The pull requests that they were tested on top of, in order. */
            testedOnTopOf: number[];
        };
        FailingCheck: {
            name: string;
            source: string;
            /** @description The link to its log; null if the CI has none. */
            url: string | null;
            conclusion: string;
            summary: string | null;
        };
        Attempt: {
            attempt: number;
            /** @description The last recorded state. */
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description Null while it is live.
             */
            endedAt: string | null;
            /** @description How it ended and why, and how long it waited for what. */
            sentence: string;
            /** @description What to do now that it has ended; absent while it is live. */
            remedy?: string;
            /** @description The time spent in each state. */
            spentMs: components["schemas"]["AttemptDurations"];
            /** @description Oldest first. */
            story: components["schemas"]["StoryEntry"][];
        };
        /** @description The time spent in each state. */
        AttemptDurations: {
            [key: string]: number;
        };
        StoryEntry: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            timestamp: string;
            /** @description The state that was entered; null if none was. */
            state: components["schemas"]["SubmissionState"] | null;
            reason: string | null;
            testRunId: string | null;
            sentence: string;
        };
        /** @description Present if requested. Assumes that everything passes from now on. */
        EstimatedTimeToMerge: components["schemas"]["AvailableEstimate"] | components["schemas"]["UnavailableEstimate"];
        AvailableEstimate: {
            /** @constant */
            status: "available";
            /** @description `pendingFailureResolution`: its tests failed, and the estimate is for the end of the wait for its verdict. */
            kind: components["schemas"]["EstimateKind"];
            /**
             * Format: date-time
             * @description Null only if its failure is expected to count.
             */
            expectedMergeAt: string | null;
            /**
             * Format: date-time
             * @description The time if every step takes as long as the slowest tenth; null if that is too far away.
             */
            pessimisticMergeAt: string | null;
            /**
             * Format: date-time
             * @description When its failure is decided, either way; null unless `kind` is `pendingFailureResolution`.
             */
            expectedResolutionAt: string | null;
            /**
             * Format: date-time
             * @description The start of the test run that proves it, which may be in the past; null if there is none.
             */
            expectedTestStartAt: string | null;
            /**
             * Format: date-time
             * @description The end of the same test run.
             */
            expectedTestEndAt: string | null;
            /** @description The number of undecided pull requests ahead. */
            waitingBehind: number;
            /** @description The number of passed test runs behind the durations. */
            basedOnRuns: number;
        };
        UnavailableEstimate: {
            /** @constant */
            status: "unavailable";
            /** @description The codes are listed on the page of reasons. */
            reason: components["schemas"]["EstimateObstacle"];
            sentence: string;
        };
        /**
         * @description `pendingFailureResolution`: its tests failed, and the estimate is for the end of the wait for its verdict.
         * @enum {string}
         */
        EstimateKind: "merge" | "pendingFailureResolution";
        /**
         * @description The codes are listed on the page of reasons.
         * @enum {string}
         */
        EstimateObstacle: "ended" | "not_ready" | "paused" | "draining" | "held" | "isolated" | "host_trouble" | "little_history" | "too_many" | "beyond_horizon" | "would_leave" | "stuck";
        TimelineEntry: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            timestamp: string;
            attempt?: number;
            state?: components["schemas"]["SubmissionState"];
            notReady?: components["schemas"]["TimelineMoveByActor"];
            pending?: components["schemas"]["TimelineMoveByTestRun"];
            testing?: components["schemas"]["TimelineMoveByTestRun"];
            testsPassed?: components["schemas"]["TimelineMoveByTestRun"];
            pendingFailure?: components["schemas"]["TimelineMoveByTestRun"];
            failure?: components["schemas"]["TimelineMoveByTestRun"];
            cancellation?: components["schemas"]["TimelineMoveByActor"];
            merged?: components["schemas"]["TimelineMerge"];
            aside?: components["schemas"]["TimelineHold"];
            /** @description The code host did not build or land its candidate. The queue retries. */
            putOff?: components["schemas"]["TimelineMove"];
            testRun?: components["schemas"]["TimelineTestRun"];
            command?: components["schemas"]["TimelineCommand"];
        };
        TimelineMove: {
            /** @description The reason code. */
            reason: string | null;
            detail: string | null;
        };
        TimelineMoveByActor: {
            /** @description The reason code. */
            reason: string | null;
            detail: string | null;
            actor: components["schemas"]["Actor"];
        };
        TimelineMoveByTestRun: {
            /** @description The reason code. */
            reason: string | null;
            detail: string | null;
            testRunId: string | null;
        };
        TimelineMerge: {
            /** @description The reason code. */
            reason: string | null;
            detail: string | null;
            testRunId: string | null;
            actor: components["schemas"]["Actor"];
        };
        TimelineHold: {
            /** @description Why it is not ready; null if it is ready again. */
            lack: string | null;
            /** @description The message of the code host. */
            detail: string | null;
        };
        TimelineTestRun: {
            testRunId: string;
            change: components["schemas"]["TimelineTestRunChange"];
            sha: string | null;
            outcome: string | null;
            closedBecause: string | null;
            testedPullRequests: components["schemas"]["TimelinePullRequest"][];
        };
        /** @enum {string} */
        TimelineTestRunChange: "created" | "testing" | "ended" | "closed";
        TimelineCommand: {
            name: string;
            actor: components["schemas"]["Actor"];
        };
        TimelinePullRequest: {
            prNumber: number;
        };
        TestingDetails: {
            testRunId: string;
            /** @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests. */
            purpose: components["schemas"]["TestPurpose"];
            status: components["schemas"]["TestStatus"];
            /** @description How it ended; null until then. */
            outcome: components["schemas"]["TestOutcome"] | null;
            requiredStatuses: string[];
            requiredStatusesSource: components["schemas"]["HostStatusesSource"] | null;
            /** @description The ref of the tested commit at the code host; null until it is built. */
            testBranch: string | null;
            /** @description The tested commit; null until it is built. */
            testBranchSha: string | null;
            /** @description The commit of the target branch that it was built on. */
            baseSha: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            testingSince: string | null;
            /**
             * Format: date-time
             * @description When it times out; null without a timeout.
             */
            deadlineAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            endedAt: string | null;
            /** @description Why it was closed; null while it is open. */
            closedBecause: string | null;
            checkSuites: components["schemas"]["CheckSuite"][];
            /** @description Always empty: checkSuites has every check. */
            statusChecks: components["schemas"]["StatusCheck"][];
            /** @description The check that failed it; empty otherwise. */
            failureCausingStatuses: components["schemas"]["FailureCausingStatus"][];
            testedPullRequests: components["schemas"]["TestedPullRequest"][];
            /** @description One sentence: what the test run waits for, or how it ended and why it was closed. */
            explanation?: string;
            /** @description Pull requests ahead that it is stacked on. */
            dependentPrs: number[];
            /** @description Pull requests that must be decided before it can land. */
            waitsOnPrs: number[];
            /** @description Targets of the tested pull requests and of those below them. */
            impactedTargets?: string[] | "ALL";
            impactedTargetsForTestedPrs?: string[] | "ALL";
        };
        /**
         * @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests.
         * @enum {string}
         */
        TestPurpose: "test" | "isolate" | "control" | "compose";
        /** @enum {string} */
        TestStatus: "in_progress" | "failed" | "cancelled" | "succeeded";
        /** @enum {string} */
        TestOutcome: "passed" | "failed" | "timed_out" | "cancelled" | "infrastructure";
        /** @enum {string} */
        HostStatusesSource: "merge_instance" | "repo_provider_branch_protection";
        ExpectedCheck: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            targetBranch: string;
            testRunId: string;
            /** @description The ref of the commit at the code host, to be fetched. */
            ref: string;
            /** @description The commit to test. */
            commit: string;
            check: string;
            /** @description `queued` until you begin. */
            status: components["schemas"]["ExpectedCheckStatus"];
            /** @description The sequence of your last report; 0 before the first. */
            sequence: number;
            /**
             * Format: date-time
             * @description When your last report arrived; null before the first.
             */
            reportedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            askedAt: string;
            /**
             * Format: date-time
             * @description By when a reporter must begin, or else the check ends as an infrastructure failure; null once one has begun.
             */
            startBy: string | null;
            /**
             * Format: date-time
             * @description When the test run times out; null if the queue has no timeout.
             */
            deadlineAt: string | null;
            /** @description A token for `reportCheck`, valid only for this check of this test run. Keep it secret. */
            reportToken: string;
        };
        /** @enum {string} */
        ExpectedCheckStatus: "queued" | "running";
        /** @enum {string} */
        ReportedStatus: "queued" | "running" | "completed";
        /** @enum {string} */
        ReportedConclusion: "success" | "failure" | "neutral" | "skipped" | "cancelled" | "timed_out" | "action_required" | "infrastructure";
        CheckSuite: {
            source: string;
            checkRuns: components["schemas"]["CheckRun"][];
        };
        CheckRun: {
            name: string;
            url: string | null;
            status: components["schemas"]["CheckRunStatus"];
            /** @description In upper case; absent until it has ended. */
            conclusion?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            completedAt: string | null;
            summary: string | null;
        };
        /** @enum {string} */
        CheckRunStatus: "QUEUED" | "IN_PROGRESS" | "COMPLETED";
        StatusCheck: {
            context: string;
            url?: string;
            state?: string;
        };
        FailureCausingStatus: {
            name: string;
            source: string;
            url: string | null;
            conclusion: string;
        };
        TestedPullRequest: {
            prNumber: number;
            prUrl?: string;
            title?: string;
            /** @description What it waits for; absent once it has left the queue. */
            waitingFor?: components["schemas"]["WaitingFor"];
        };
        TestingResult: {
            testRunId: string;
            /** @description True for a test run of bisection. */
            isBisection: boolean;
            prNumber: number;
            attempt: number;
            outcome: components["schemas"]["TestingResultOutcome"];
            cycleConclusion: components["schemas"]["CycleConclusion"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            endedAt: string;
            testingDurationMs: number | null;
        };
        /** @enum {string} */
        TestingResultOutcome: "passed" | "failed" | "timed_out" | "cancelled" | "infrastructure" | "interrupted";
        /** @enum {string} */
        CycleConclusion: "passed" | "failed" | "cancelled" | "interrupted";
        Receipt: {
            /** @constant */
            version: 1;
            queueId: string;
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            branch: string;
            /** @description Its number in the chain of the queue, from 1. */
            number: number;
            /** @description The hash of the previous receipt; null for the first. */
            previous: string | null;
            pr: number;
            attempt: number;
            /** @description The head of the pull request that landed. */
            head: string;
            /** @description The tree of the merge of that head and the step below it, which a reviewer saw. Null if the two conflict; absent if the code host does not compute it. */
            reviewedTree?: string | null;
            /** @description The submitter. Null if the pull request had left the queue before its landing was settled (there is an alarm then). */
            submitted: components["schemas"]["ReceiptSubmission"] | null;
            /** @description The version of the settings in force when the landing was decided. */
            settingsVersion: number;
            mergeMethod: components["schemas"]["MergeMethod"];
            /** @description The checks required when the landing was decided, and the source of that list. Empty if none was required. */
            required: components["schemas"]["ReceiptRequirement"];
            /** @description Null if the test run was closed before the landing was settled. */
            tested: components["schemas"]["ReceiptTest"] | null;
            landed: components["schemas"]["ReceiptLanding"];
            /** @description The landings in other lanes since the test run was built: the last commit of each, and its pull requests. If there are more than a hundred, the first ones are merged into one entry. */
            between: components["schemas"]["ReceiptBetween"][];
            /** @description The test runs whose passes vouch for it, if another candidate was landed than the one tested. */
            vouchedBy: string[];
            /** @description When the queue learnt of the landing. */
            at: number;
            /** @description SHA-256 of the canonical JSON (RFC 8785) of everything else. */
            hash: string;
        } & {
            [key: string]: unknown;
        };
        ReceiptSubmission: {
            by: components["schemas"]["ReceiptActor"];
            /** @description Milliseconds since 1970, UTC. */
            at: number;
            /** @description Whether the code host's mergeability was skipped by right. */
            forced: boolean;
        };
        ReceiptActor: {
            kind: string;
            name: string;
        };
        /** @description The checks required when the landing was decided, and the source of that list. Empty if none was required. */
        ReceiptRequirement: {
            names: string[];
            source: components["schemas"]["HostStatusesSource"] | null;
        };
        ReceiptTest: {
            runId: string;
            /** @description The tip of the branch that the test run was built on. */
            base: string;
            /** @description The pull requests that the test run had below its batch, in order. */
            stack: components["schemas"]["ReceiptMember"][];
            /** @description The pull requests tested together, in order. */
            batch: components["schemas"]["ReceiptMember"][];
            /** @description The tested candidate: stack and batch on the base. */
            trial: components["schemas"]["ReceiptCommit"];
            /** @description The step of this pull request in it. */
            step: components["schemas"]["ReceiptCommit"];
            /** @description The passes of the required checks. */
            checks: components["schemas"]["ReceiptCheck"][];
            /** @description When the checks of the test run were read, right before the branch was moved. Absent if they were not read: no check is required, or an earlier try had moved the branch. */
            checksReadAt?: number;
        };
        ReceiptMember: {
            pr: number;
            attempt: number;
            head: string;
        };
        /** @description The tested candidate: stack and batch on the base. */
        ReceiptCommit: {
            commit: string;
            tree: string;
        };
        ReceiptCheck: {
            name: string;
            /** @description The reporter of the check, e.g. the name of the CI. */
            source: string;
            /** @description The code host's own id of this check. */
            id: string;
            /** @description The test run that it was started for; null if the code host does not know. */
            runId: string | null;
            /** @description A digest of the definition of the check; null if the code host does not know it. */
            digest: string | null;
            conclusion: components["schemas"]["CheckConclusion"] | null;
            /** @description Milliseconds since 1970, UTC. */
            startedAt: number;
            /** @description Milliseconds since 1970, UTC. */
            completedAt: number | null;
            /** @description The page with details, without query, fragment and user. */
            url: string | null;
        };
        /** @enum {string} */
        CheckConclusion: "success" | "failure" | "neutral" | "skipped" | "cancelled" | "timed_out" | "stale" | "action_required" | "infrastructure" | "unknown";
        ReceiptLanding: {
            /** @description Identifies the move of the branch. Pull requests that landed together share it. */
            landingId: string;
            /** @description The test run whose candidate was landed. */
            runId: string;
            /** @description The tip of the branch before the move. */
            onto: string;
            /** @description The candidate to be landed. */
            trial: components["schemas"]["ReceiptCommit"];
            /** @description The step of this pull request in it. */
            step: components["schemas"]["ReceiptCommit"];
            /** @description The commit of this pull request on the branch. */
            commit: string;
            tree: string;
            /** @description The tip of the branch after the move. */
            head: string;
        };
        ReceiptBetween: {
            commit: string;
            prs: number[];
        };
        ReceiptChain: {
            count: number;
            /** @description The hash of the last receipt; null if there is none. */
            hash: string | null;
        };
        PreviewUpdate: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description `single`: one line of pull requests. `parallel`: lanes by impacted targets. */
            mode?: components["schemas"]["QueueMode"];
            /** @description Test runs at once. */
            concurrency?: number;
            /** @description Test runs at once while a failed batch is bisected. Default in createQueue: the value of `concurrency`. null: follows `concurrency` from now on. */
            bisectionConcurrency?: number | null;
            /** @description Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`. */
            autoConcurrency?: boolean;
            /** @description Minutes that a test run may take, also one that has started already. 0: no timeout. */
            testingTimeoutMinutes?: number;
            /** @description After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged. */
            pendingFailureDepth?: number;
            /** @description Whether a test run that passes counts for every pull request that it was stacked on. */
            canOptimisticallyMerge?: boolean;
            /** @description Whether pull requests are tested in batches. */
            batch?: boolean;
            /** @description Minutes after which a batch starts that is not full. */
            batchingMaxWaitTimeMinutes?: number;
            /** @description Size at which a batch starts at once, and the largest it can have. */
            batchingMinSize?: number;
            /** @description Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`. */
            autoBatching?: boolean;
            /** @description Whether test branches get a draft pull request, where the code host can have one. */
            createPrsForTestingBranches?: boolean;
            /** @description Whether the queue comments on pull requests. */
            commentsEnabled?: boolean;
            /** @description Whether the queue takes commands from comments. */
            commandsEnabled?: boolean;
            /** @description Whether the queue reports a check of its own on pull requests. */
            statusCheckEnabled?: boolean;
            /** @description Whether browser extensions may offer the queue. */
            extensionEnabled?: boolean;
            /** @description The label that submits a pull request. */
            enqueueingLabel?: string;
            /** @description Whether that label submits pull requests. */
            labelCommandsEnabled?: boolean;
            /** @description Whether the queue labels pull requests with their state. */
            stateLabelsEnabled?: boolean;
            /** @description Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never. */
            notReadyTimeoutHours?: number;
            /** @description How a test branch gets its name, where the code host builds it on a branch. */
            testBranchConstructionMode?: components["schemas"]["TestBranchConstructionMode"];
            /** @description Bots that may submit pull requests. */
            allowedBotSubmitters?: string[];
            /** @description Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: "isolate"}`. */
            batchingRules?: components["schemas"]["BatchingRuleRequest"][];
            /** @description `always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run. */
            directMergeMode?: components["schemas"]["DirectMergeMode"];
            /** @description `bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others. */
            optimizationMode?: components["schemas"]["OptimizationMode"];
            /** @description Whether a culprit is tested once more before it is failed. */
            confirmBeforeFailing?: boolean;
            /** @description Whether impacted targets that a fork computed count like trusted ones. */
            trustForkTargets?: boolean;
            /** @description How a pull request becomes a commit of the target branch. */
            mergeMethod?: components["schemas"]["MergeMethod"];
            /**
             * Format: date-time
             * @description Instant before which no pull request starts or merges. Test runs that have begun finish, a merge under way settles, `state` stays as it is, and `notReadyTimeoutHours` stands still. null or an instant in the past: no freeze.
             */
            freezeUntil?: string | null;
            /** @description Reason for the freeze, shown with every wait for its end. */
            freezeReason?: string | null;
            /** @description Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only. */
            freezeAllowsUrgent?: boolean;
            /** @description Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge. */
            publicRead?: boolean;
            /** @description Checks that must pass. null: those that the branch rules of the code host require. `[]`: no check is needed; it must come with `allowNoRequiredStatuses: true`. A list equal to the one in force changes nothing. */
            requiredStatuses?: string[] | null;
            /** @description True removes the override of the required checks, like requiredStatuses: null. */
            deleteRequiredStatuses?: boolean;
            /** @description True, together with requiredStatuses: [], means that no check is needed. */
            allowNoRequiredStatuses?: boolean;
            /** @description True confirms that trustForkTargets: true is meant for a public repository. */
            allowPublicForkTargets?: boolean;
            /** @description queue stores the list in the same request as an override; host follows the branch rules; null is ignored. */
            requiredStatusesSource?: components["schemas"]["RequiredStatusesSource"] | null;
            /** @description True, with the state draining, cancels everything without a test run, now and until the state changes. */
            cancelPending?: boolean;
            /** @description The requested state; switching_modes cannot be requested. */
            state?: components["schemas"]["WantedQueueState"];
            /** @description The reason, shown with every wait. The object of an answer is accepted too; null means no reason. */
            stateReason?: string | null;
            /** @constant */
            operation: "updateQueue";
            /** @description True adds the estimated merge time, or the reason why there is none. */
            includeEstimatedTimeToMerge?: boolean;
        };
        PreviewSubmit: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestHead"];
            /** @description 0 is first; urgent, high, medium, low are 0, 10, 100, 200; null is the default, 100. */
            priority?: number | components["schemas"]["PriorityName"] | null;
            /** @description True: test it alone, never in a batch. */
            noBatch?: boolean;
            /** @description True: urgent, whatever `priority` says. A later priority without it replaces it. */
            skipTheLine?: boolean;
            /** @description True ignores the mergeability at the host, and nothing else. Needs the scope force. */
            forceEnqueued?: boolean;
            /** @constant */
            operation: "submitPullRequest";
            /** @description True adds the estimated merge time, or the reason why there is none. */
            includeEstimatedTimeToMerge?: boolean;
        };
        PreviewCancel: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestNumber"];
            /** @constant */
            operation: "cancelPullRequest";
            /** @description True adds the estimated merge time, or the reason why there is none. */
            includeEstimatedTimeToMerge?: boolean;
        };
        PreviewRestart: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestNumber"];
            /** @constant */
            operation: "restartTestsOnPullRequest";
            /** @description True adds the estimated merge time, or the reason why there is none. */
            includeEstimatedTimeToMerge?: boolean;
        };
        PreviewedTestRun: {
            /** @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests. */
            purpose: components["schemas"]["TestPurpose"];
            prNumbers: number[];
            /** @description The pull requests below it, in order. */
            testedOnTopOf: number[];
        };
        PreviewedCancellation: {
            /** @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests. */
            purpose: components["schemas"]["TestPurpose"];
            prNumbers: number[];
            /** @description The pull requests below it, in order. */
            testedOnTopOf: number[];
            testRunId: string;
            /** @description As in the history of the test run. */
            cause: string;
            /** @description True: its pass would be given up. */
            hadPassed: boolean;
            /** @description The CI time spent on it so far. */
            ciMinutes: number;
        };
        PreviewedMove: {
            prNumber: number;
            from: components["schemas"]["SubmissionState"] | null;
            to: components["schemas"]["SubmissionState"];
            /** @description The codes are in the page of reasons. */
            reason: string | null;
        };
        PreviewedPosition: {
            prNumber: number;
            from: number | null;
            /** @description Null: not in line. */
            to: number | null;
        };
        PreviewedMerge: {
            prNumber: number;
            before: components["schemas"]["EstimatedTimeToMerge"] | null;
            after: components["schemas"]["EstimatedTimeToMerge"] | null;
        };
        PreviewedRefusal: {
            code: string;
            detail: string;
        };
        ImpactedTargets: string[] | "ALL";
        Warning: {
            code: components["schemas"]["WarningCode"];
            /** @description The problem, and what to do about it. */
            sentence: string;
            /** @description With UNREPORTED_CHECK: the checks. */
            checks?: string[];
            /** @description With UNKNOWN_FIELD and READ_ONLY_FIELD: the fields of the request that were ignored. */
            fields?: string[];
        };
        /** @enum {string} */
        WarningCode: "NO_REQUIRED_STATUSES" | "HOOKS_NOT_RUN" | "BISECTION_CONCURRENCY_LOW" | "FORK_TARGETS_TRUSTED" | "SETTING_WITHOUT_EFFECT" | "TARGETS_EMPTY" | "UNREPORTED_CHECK" | "UNKNOWN_FIELD" | "READ_ONLY_FIELD";
        Token: {
            tokenId: string;
            /** @description The first characters of the token, to recognise it. */
            prefix: string;
            state: components["schemas"]["TokenState"];
            name: string;
            /** @description The person behind it; null if none was named. */
            person: string | null;
            /** @description The name under which it reports checks. */
            reporter: string;
            scopes: components["schemas"]["TokenScope"][];
            /** @description The only repositories that it may access; null for all. */
            repositories: components["schemas"]["Repository"][] | null;
            /** @description The only checks that it may list and report; null for all. */
            checks: string[] | null;
            /**
             * Format: date-time
             * @description When it expires; null for never.
             */
            expiresAt: string | null;
            /** @description The id of the token that made it. */
            madeByTokenId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Accurate to a minute; null if it was never used.
             */
            lastUsedAt: string | null;
            /** @description When and by which token it was revoked; null if it was not. */
            revoked: components["schemas"]["TokenRevocation"] | null;
            /** @description The id of the token that replaced it; null if none did. */
            replacedByTokenId: string | null;
        };
        /** @enum {string} */
        TokenScope: "read" | "submit" | "cancel" | "targets" | "queue:write" | "queue:delete" | "force" | "skip" | "checks" | "metrics" | "webhooks" | "tokens" | "admin";
        /** @enum {string} */
        TokenState: "active" | "expired" | "revoked";
        TokenRevocation: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            at: string;
            byTokenId: string;
            byName: string;
        };
        CreatedToken: {
            tokenId: string;
            /** @description The first characters of the token, to recognise it. */
            prefix: string;
            state: components["schemas"]["TokenState"];
            name: string;
            /** @description The person behind it; null if none was named. */
            person: string | null;
            /** @description The name under which it reports checks. */
            reporter: string;
            scopes: components["schemas"]["TokenScope"][];
            /** @description The only repositories that it may access; null for all. */
            repositories: components["schemas"]["Repository"][] | null;
            /** @description The only checks that it may list and report; null for all. */
            checks: string[] | null;
            /**
             * Format: date-time
             * @description When it expires; null for never.
             */
            expiresAt: string | null;
            /** @description The id of the token that made it. */
            madeByTokenId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Accurate to a minute; null if it was never used.
             */
            lastUsedAt: string | null;
            /** @description When and by which token it was revoked; null if it was not. */
            revoked: components["schemas"]["TokenRevocation"] | null;
            /** @description The id of the token that replaced it; null if none did. */
            replacedByTokenId: string | null;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
            /** @description The token itself. It is not stored and shown only once; null if an Idempotency-Key was repeated. */
            token: string | null;
        };
        Webhook: {
            webhookId: string;
            url: string;
            description: string;
            format: components["schemas"]["WebhookFormat"];
            types: components["schemas"]["WebhookEventType"][] | null;
            /** @description Null for all. */
            repo: components["schemas"]["Repository"] | null;
            targetBranch: string | null;
            /** @description The token whose rights limit what it gets. */
            madeByTokenId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /** @description Null while events are delivered. */
            disabled: components["schemas"]["DisabledWebhook"] | null;
            /**
             * Format: date-time
             * @description How long older secrets sign too; null if none does.
             */
            oldSecretsUntil: string | null;
            /**
             * Format: date-time
             * @description When a delivery last succeeded; null if none has.
             */
            lastSuccessAt: string | null;
            /**
             * Format: date-time
             * @description When the first delivery failed since the last success; null if none has.
             */
            failingSince: string | null;
            /** @description Why the last failed try failed; null if none has. */
            lastFailure: string | null;
        };
        CreatedWebhook: {
            webhookId: string;
            url: string;
            description: string;
            format: components["schemas"]["WebhookFormat"];
            types: components["schemas"]["WebhookEventType"][] | null;
            /** @description Null for all. */
            repo: components["schemas"]["Repository"] | null;
            targetBranch: string | null;
            /** @description The token whose rights limit what it gets. */
            madeByTokenId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /** @description Null while events are delivered. */
            disabled: components["schemas"]["DisabledWebhook"] | null;
            /**
             * Format: date-time
             * @description How long older secrets sign too; null if none does.
             */
            oldSecretsUntil: string | null;
            /**
             * Format: date-time
             * @description When a delivery last succeeded; null if none has.
             */
            lastSuccessAt: string | null;
            /**
             * Format: date-time
             * @description When the first delivery failed since the last success; null if none has.
             */
            failingSince: string | null;
            /** @description Why the last failed try failed; null if none has. */
            lastFailure: string | null;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
            /** @description The signing secret, `whsec_…`. Shown this once; null if an Idempotency-Key was repeated, or none was made. */
            secret: string | null;
        };
        /** @enum {string} */
        WebhookEventType: "pull_request.submitted" | "pull_request.queued" | "pull_request.testing" | "pull_request.merged" | "pull_request.failed" | "pull_request.canceled" | "pull_request_batch.testing" | "pull_request_batch.merged" | "pull_request_batch.failed" | "pull_request_batch.pending_failure" | "queue.changed" | "alarm";
        /** @enum {string} */
        WebhookFormat: "standard" | "slack";
        WebhookRequest: {
            /** @description The id of a webhook, as listWebhooks answers it. */
            webhookId: string;
        };
        DisabledWebhook: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            at: string;
            /** @description `owner`: by updateWebhook; `failing`: five days without a success; `gone`: it answered 410; `token_ended`: its token was revoked or expired; `secret_unreadable`: the key of the service was changed. */
            reason: components["schemas"]["WebhookStopReason"];
        };
        /** @enum {string} */
        WebhookStopReason: "owner" | "failing" | "gone" | "token_ended" | "secret_unreadable";
        WebhookDelivery: {
            /** @description The header webhook-id, the same for every try and replay. */
            deliveryId: string;
            webhookId: string;
            type: string;
            /** @description The queue of the event; null for a test delivery. */
            queueId: string | null;
            /** @description The row of its history; null for a test delivery. */
            sequence: number | null;
            /**
             * Format: date-time
             * @description When the event was recorded.
             */
            createdAt: string;
            /** @description `failed`: given up after the last try. */
            state: components["schemas"]["WebhookDeliveryState"];
            /**
             * Format: date-time
             * @description Null unless it is pending.
             */
            nextTryAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            endedAt: string | null;
            /** @description The last tries, oldest first. */
            tries: components["schemas"]["WebhookDeliveryTry"][];
        };
        /** @enum {string} */
        WebhookDeliveryState: "pending" | "delivered" | "failed";
        WebhookDeliveryTry: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            at: string;
            tookMs: number;
            /** @description The status of the answer; null if there was none. */
            status: number | null;
            /** @description Why it failed; null if it succeeded. */
            error: string | null;
            /** @description The beginning of the answer, at most 1 kB; null if none is kept: for events with report tokens, and where private addresses are allowed. */
            answer: string | null;
        };
        OwnToken: {
            tokenId: string;
            /** @description True for the token of the configuration, which cannot be revoked by an operation. */
            isBootstrap: boolean;
            name: string;
            /** @description The person behind it; null if none was named. */
            person: string | null;
            /** @description The name under which it reports checks. */
            reporter: string;
            scopes: components["schemas"]["TokenScope"][];
            /** @description The only repositories that it may access; null for all. */
            repositories: components["schemas"]["Repository"][] | null;
            /** @description The only checks that it may list and report; null for all. */
            checks: string[] | null;
            /**
             * Format: date-time
             * @description When it expires; null for never.
             */
            expiresAt: string | null;
        };
        Finding: {
            /** @description The codes are in the page of findings. */
            code: string;
            severity: components["schemas"]["Severity"];
            /** @description What it is about: a queue, or a part of the service. */
            subject: string;
            /** @description What was found, with numbers. */
            sentence: string;
            /** @description What to do. */
            remedy: string;
            /** @description True if `repair` does that; absent otherwise. */
            isRepairable?: boolean;
        };
        /** @enum {string} */
        Severity: "error" | "warning" | "info";
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description What is wrong and what to do. */
            detail: string;
            /** @description What to do, with which `detail` ends; absent if `detail` does not say it apart. */
            remedy?: string;
            instance: string;
            /** @description A stable code; new ones may be added. */
            code: components["schemas"]["ProblemCode"];
            /** @description With 400: each fault with the path of its field. */
            errors?: components["schemas"]["FieldFault"][];
            /** @description With QUEUE_NOT_EMPTY: the pull requests that are still in the queue, at most 1000. */
            prNumbers?: number[];
            /** @description With QUEUE_NOT_EMPTY: how many are still in the queue. */
            prCount?: number;
            /** @description With 500: the id in the log. */
            correlationId?: string;
        };
        /** @enum {string} */
        ProblemCode: "INVALID_REQUEST" | "INVALID_SETTINGS" | "CURSOR_INVALID" | "QUEUE_NOT_EMPTY" | "UNKNOWN_HOST" | "REPOSITORY_NOT_FOUND" | "BRANCH_NOT_FOUND" | "QUEUE_NOT_FOUND" | "PULL_REQUEST_NOT_FOUND" | "HISTORY_GONE" | "NOT_SUBMITTED" | "RUN_NOT_FOUND" | "CHECK_NOT_REPORTABLE" | "TEST_RUN_CLOSED" | "REPORT_REFUSED" | "QUEUE_EXISTS" | "PULL_REQUEST_CLOSED" | "PULL_REQUEST_MERGED" | "PULL_REQUEST_UNREADABLE" | "STALE_HEAD" | "FORCE_NOT_SUPPORTED" | "SETTINGS_CHANGED" | "ALREADY_MERGED" | "LANDING_UNDER_WAY" | "NOT_ACTIVE" | "NO_RUN_TO_RESTART" | "IDEMPOTENCY_KEY_REUSED" | "RIGHTS_EXCEEDED" | "TOKEN_NOT_FOUND" | "TOKEN_NOT_ACTIVE" | "TOKENS_FULL" | "TARGETS_FULL" | "WEBHOOK_NOT_FOUND" | "WEBHOOK_DISABLED" | "WEBHOOKS_FULL" | "COMMAND_BROKEN" | "HOST_UNREACHABLE" | "STORE_UNREACHABLE" | "TOKENS_UNREADABLE" | "CLOSED" | "MALFORMED_JSON" | "MALFORMED_REQUEST" | "UNAUTHORIZED" | "SCOPE_MISSING" | "REPOSITORY_NOT_ALLOWED" | "CHECK_NOT_ALLOWED" | "TOKENS_NOT_KEPT" | "WEBHOOKS_NOT_KEPT" | "PATH_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "BODY_TOO_LARGE" | "CONTENT_TYPE_NOT_SUPPORTED" | "EXPECTATION_FAILED" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "OVERLOADED" | "UNAVAILABLE" | "HANDLER_TIMEOUT";
        FieldFault: {
            /** @description The field, such as `pr.number`; empty for the whole body. */
            path: string;
            message: string;
        };
        SubmitPullRequestRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestHead"];
            /** @description 0 is first; urgent, high, medium, low are 0, 10, 100, 200; null is the default, 100. */
            priority?: number | components["schemas"]["PriorityName"] | null;
            /** @description True: test it alone, never in a batch. */
            noBatch?: boolean;
            /** @description True: urgent, whatever `priority` says. A later priority without it replaces it. */
            skipTheLine?: boolean;
            /** @description True ignores the mergeability at the host, and nothing else. Needs the scope force. */
            forceEnqueued?: boolean;
        };
        GetSubmittedPullRequestRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request, by number or by head branch. */
            pr: components["schemas"]["PullRequestIdentifier"];
            /** @description True adds the timeline, newest first. */
            includeTimeline?: boolean;
            /** @description True adds the estimated merge time, or the reason why there is none. */
            includeEstimatedTimeToMerge?: boolean;
        };
        GetSubmittedPullRequestsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull requests. */
            prs: components["schemas"]["PullRequestNumber"][];
            /** @description True adds the timeline, newest first. */
            includeTimeline?: boolean;
            /** @description True adds the estimated merge time, or the reason why there is none. */
            includeEstimatedTimeToMerge?: boolean;
        };
        GetSubmittedPullRequestsAnswer: {
            pullRequests: components["schemas"]["FoundPullRequest"][];
            /** @description Numbers that were never submitted to this queue. */
            notFound: number[];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        WaitForPullRequestRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestNumber"];
            /** @description The states to wait for. Default: the terminal states. A terminal state ends every wait. */
            until?: components["schemas"]["SubmissionState"][];
            /**
             * @description Maximum wait; ask again if `reached` is false.
             * @default 30
             */
            waitSeconds?: number;
        };
        WaitForPullRequestAnswer: {
            /**
             * Format: uuid
             * @description Never changes for a pull request in a queue.
             */
            id: string;
            state: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            stateChangedAt: string;
            /** @description The number of its stays in the queue, from 1. */
            attempt: number;
            priorityValue: number;
            priorityName: components["schemas"]["PriorityName"];
            /** @description The priority that applies without an explicit one. */
            usedDefaultPriorityName: components["schemas"]["PriorityName"];
            /** @description True if it is urgent, by `skipTheLine` or by priority 0. */
            skipTheLine: boolean;
            noBatch: boolean;
            forceEnqueued: boolean;
            prNumber: number;
            prTitle: string;
            prSha: string;
            prBaseBranch: string;
            prAuthor: string;
            prUrl: string;
            /** @description Its newest test run that still counts; absent if there is none. */
            testRunId?: string;
            /** @description Why it entered its state; absent if no reason is recorded. */
            reason?: components["schemas"]["Reason"];
            /** @description What it waits for; absent once it has left the queue. */
            waitingFor?: components["schemas"]["WaitingFor"];
            isCurrentlySubmittedToQueue: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            submittedAt: string;
            readiness: components["schemas"]["Readiness"];
            /** @description The test run that proved the landed commit; null after a direct merge, where its own checks did, and if the queue did not land it. */
            verifiedByTestRun: string | null;
            /** @description The test run whose failure ended it or holds it; null if there is none. */
            failedTestRun: string | null;
            /** @description The state of its queue. */
            queueState: components["schemas"]["QueueState"];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
            /**
             * Format: uuid
             * @description The id of its queue, which also reads the history of a deleted queue.
             */
            queueId: string;
            /** @description Its rank in the order of getQueue, from 1; null if it is not admitted. */
            position: number | null;
            /** @description How many pull requests must land before it; 0 if it is next, null if it is not admitted. */
            aheadInLane: number | null;
            /** @description What to do now, or what the queue does by itself. */
            remedy: string;
            /** @description The test run whose failure ended it or holds it; null if there is none. */
            failure: components["schemas"]["Failure"] | null;
            /** @description Who caused its terminal state; null while it is live. */
            endedBy: components["schemas"]["Actor"] | null;
            /** @description The commit as which the queue landed it; null if it is not merged, or not by the queue. */
            landedCommit: string | null;
            /** @description The timeline, newest first; present if requested. */
            timeline?: components["schemas"]["TimelineEntry"][];
            /** @description Each stay in the queue, newest first; present together with the timeline. */
            attempts?: components["schemas"]["Attempt"][];
            /** @description False if older entries were omitted. */
            timelineIsComplete?: boolean;
            /** @description Present if requested. Assumes that everything passes from now on. */
            estimatedTimeToMerge?: components["schemas"]["EstimatedTimeToMerge"];
            /** @description True if it is in one of the requested states; false after the maximum wait, or in another terminal state. */
            reached: boolean;
        };
        GetPullRequestTimelineRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description A queue of this branch, also a deleted one. Default: the present one. */
            queueId?: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestNumber"];
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
            /** @description Items per page; default 50. */
            take?: number;
        };
        GetPullRequestTimelineAnswer: {
            /** @description The timeline, newest first. */
            timeline: components["schemas"]["TimelineEntry"][];
            /** @description Each stay in the queue according to these entries, newest first. */
            attempts: components["schemas"]["Attempt"][];
            /** @description The cursor of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListPullRequestsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Only pull requests in this state. */
            state?: components["schemas"]["SubmissionState"];
            /**
             * Format: date-time
             * @description Only pull requests whose state began at this time or later (ISO 8601).
             */
            since?: string;
            /**
             * Format: date-time
             * @description Only pull requests whose state began at this time or earlier (ISO 8601).
             */
            until?: string;
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
            /** @description Items per page; default 50. */
            take?: number;
        };
        ListPullRequestsAnswer: {
            pullRequests: components["schemas"]["EnqueuedPullRequest"][];
            /** @description The cursor of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        SetImpactedTargetsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description Pull request. */
            pr: components["schemas"]["PullRequestHead"];
            /** @description The targets that the pull request touches. [] means none; "ALL", also in a list, means all. Empty strings are dropped; a list of only empty strings counts as "ALL". */
            impactedTargets: components["schemas"]["ImpactedTargets"];
            /** @description True returns the list also if it has more than 1000 entries. */
            includeImpactedTargets?: boolean;
        };
        SetImpactedTargetsAnswer: {
            prNumber: number;
            /** @description The head commit for which the targets are stored. */
            prSha: string;
            /** @description The number of distinct targets; null for "ALL". */
            impactedTargetsCount: number | null;
            /** @description Absent if more than 1000 were sent without includeImpactedTargets. */
            impactedTargets?: string[] | "ALL";
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        UpdateQueueAnswer: {
            state: components["schemas"]["QueueState"];
            /** @description Actor, reason and time of the present state; null if it was not requested. */
            stateReason: components["schemas"]["QueueStateReason"] | null;
            /** @description The state that the owner requested, if the queue has stopped by itself; absent if that is running. */
            stateAskedFor?: components["schemas"]["QueueStateAskedFor"];
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            branch: string;
            /** @description The requested mode. */
            mode: components["schemas"]["QueueMode"];
            /** @description Test runs at once. */
            concurrency: number;
            /** @description Number of simultaneous test runs of bisection. */
            bisectionConcurrency: number;
            /** @description Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`. */
            autoConcurrency: boolean;
            /** @description Minutes that a test run may take, also one that has started already. 0: no timeout. */
            testingTimeoutMinutes: number;
            /** @description After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged. */
            pendingFailureDepth: number;
            /** @description Whether a test run that passes counts for every pull request that it was stacked on. */
            canOptimisticallyMerge: boolean;
            /** @description Whether pull requests are tested in batches. */
            batch: boolean;
            /** @description Minutes after which a batch starts that is not full. */
            batchingMaxWaitTimeMinutes: number;
            /** @description Size at which a batch starts at once, and the largest it can have. */
            batchingMinSize: number;
            /** @description Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`. */
            autoBatching: boolean;
            /** @description Whether test branches get a draft pull request, where the code host can have one. */
            createPrsForTestingBranches: boolean;
            /** @description Whether the queue comments on pull requests. */
            commentsEnabled: boolean;
            /** @description Whether the queue takes commands from comments. */
            commandsEnabled: boolean;
            /** @description Whether the queue reports a check of its own on pull requests. */
            statusCheckEnabled: boolean;
            /** @description Whether browser extensions may offer the queue. */
            extensionEnabled: boolean;
            /** @description The label that submits a pull request. */
            enqueueingLabel: string;
            /** @description Whether that label submits pull requests. */
            labelCommandsEnabled: boolean;
            /** @description Whether the queue labels pull requests with their state. */
            stateLabelsEnabled: boolean;
            /** @description Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never. */
            notReadyTimeoutHours: number;
            /** @description How a test branch gets its name, where the code host builds it on a branch. */
            testBranchConstructionMode: components["schemas"]["TestBranchConstructionMode"];
            /** @description Bots that may submit pull requests. */
            allowedBotSubmitters: string[];
            /** @description Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: "isolate"}`. */
            batchingRules: components["schemas"]["BatchingRule"][];
            /** @description `always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run. */
            directMergeMode: components["schemas"]["DirectMergeMode"];
            /** @description `bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others. */
            optimizationMode: components["schemas"]["OptimizationMode"];
            /** @description Whether a culprit is tested once more before it is failed. */
            confirmBeforeFailing: boolean;
            /** @description Whether impacted targets that a fork computed count like trusted ones. */
            trustForkTargets: boolean;
            /** @description How a pull request becomes a commit of the target branch. */
            mergeMethod: components["schemas"]["MergeMethod"];
            /**
             * Format: date-time
             * @description Instant before which no pull request starts or merges. Test runs that have begun finish, a merge under way settles, `state` stays as it is, and `notReadyTimeoutHours` stands still. null or an instant in the past: no freeze.
             */
            freezeUntil: string | null;
            /** @description Reason for the freeze, shown with every wait for its end. */
            freezeReason: string | null;
            /** @description Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only. */
            freezeAllowsUrgent: boolean;
            /** @description Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge. */
            publicRead: boolean;
            /** @description The checks in force: the override of the queue, or else those of the branch rules. */
            requiredStatuses: string[];
            /** @description The mode in force. It differs from mode while the queue is switching modes. */
            activeMode: components["schemas"]["QueueMode"];
            /** @description Number of simultaneous test runs in force: `concurrency`, or fewer with `autoConcurrency`. */
            activeConcurrency: number;
            /** @description Size of a full batch in force: `batchingMinSize`, or less with `autoBatching`. */
            activeBatchSize: number;
            /** @description True if the queue drains and cancels everything without a test run. */
            cancelPending: boolean;
            /** @description The source of the list: the queue (an override) or the host (the branch rules). Null if there is no list; then nothing is merged. */
            requiredStatusesSource: components["schemas"]["RequiredStatusesSource"] | null;
            /** @description The number of changes of the settings. Together with queueId it forms the ETag. */
            settingsVersion: number;
            /**
             * Format: uuid
             * @description The permanent id of the queue, also after it is deleted.
             */
            queueId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was deleted; absent while it exists.
             */
            deletedAt?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
            /** @description True if a landing had begun and could not be stopped. */
            landingUnderWay: boolean;
        };
        DeleteQueueAnswer: {
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        GetQueueAnswer: {
            state: components["schemas"]["QueueState"];
            /** @description Actor, reason and time of the present state; null if it was not requested. */
            stateReason: components["schemas"]["QueueStateReason"] | null;
            /** @description The state that the owner requested, if the queue has stopped by itself; absent if that is running. */
            stateAskedFor?: components["schemas"]["QueueStateAskedFor"];
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            branch: string;
            /** @description The requested mode. */
            mode: components["schemas"]["QueueMode"];
            /** @description Test runs at once. */
            concurrency: number;
            /** @description Number of simultaneous test runs of bisection. */
            bisectionConcurrency: number;
            /** @description Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`. */
            autoConcurrency: boolean;
            /** @description Minutes that a test run may take, also one that has started already. 0: no timeout. */
            testingTimeoutMinutes: number;
            /** @description After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged. */
            pendingFailureDepth: number;
            /** @description Whether a test run that passes counts for every pull request that it was stacked on. */
            canOptimisticallyMerge: boolean;
            /** @description Whether pull requests are tested in batches. */
            batch: boolean;
            /** @description Minutes after which a batch starts that is not full. */
            batchingMaxWaitTimeMinutes: number;
            /** @description Size at which a batch starts at once, and the largest it can have. */
            batchingMinSize: number;
            /** @description Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`. */
            autoBatching: boolean;
            /** @description Whether test branches get a draft pull request, where the code host can have one. */
            createPrsForTestingBranches: boolean;
            /** @description Whether the queue comments on pull requests. */
            commentsEnabled: boolean;
            /** @description Whether the queue takes commands from comments. */
            commandsEnabled: boolean;
            /** @description Whether the queue reports a check of its own on pull requests. */
            statusCheckEnabled: boolean;
            /** @description Whether browser extensions may offer the queue. */
            extensionEnabled: boolean;
            /** @description The label that submits a pull request. */
            enqueueingLabel: string;
            /** @description Whether that label submits pull requests. */
            labelCommandsEnabled: boolean;
            /** @description Whether the queue labels pull requests with their state. */
            stateLabelsEnabled: boolean;
            /** @description Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never. */
            notReadyTimeoutHours: number;
            /** @description How a test branch gets its name, where the code host builds it on a branch. */
            testBranchConstructionMode: components["schemas"]["TestBranchConstructionMode"];
            /** @description Bots that may submit pull requests. */
            allowedBotSubmitters: string[];
            /** @description Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: "isolate"}`. */
            batchingRules: components["schemas"]["BatchingRule"][];
            /** @description `always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run. */
            directMergeMode: components["schemas"]["DirectMergeMode"];
            /** @description `bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others. */
            optimizationMode: components["schemas"]["OptimizationMode"];
            /** @description Whether a culprit is tested once more before it is failed. */
            confirmBeforeFailing: boolean;
            /** @description Whether impacted targets that a fork computed count like trusted ones. */
            trustForkTargets: boolean;
            /** @description How a pull request becomes a commit of the target branch. */
            mergeMethod: components["schemas"]["MergeMethod"];
            /**
             * Format: date-time
             * @description Instant before which no pull request starts or merges. Test runs that have begun finish, a merge under way settles, `state` stays as it is, and `notReadyTimeoutHours` stands still. null or an instant in the past: no freeze.
             */
            freezeUntil: string | null;
            /** @description Reason for the freeze, shown with every wait for its end. */
            freezeReason: string | null;
            /** @description Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only. */
            freezeAllowsUrgent: boolean;
            /** @description Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge. */
            publicRead: boolean;
            /** @description The checks in force: the override of the queue, or else those of the branch rules. */
            requiredStatuses: string[];
            /** @description The mode in force. It differs from mode while the queue is switching modes. */
            activeMode: components["schemas"]["QueueMode"];
            /** @description Number of simultaneous test runs in force: `concurrency`, or fewer with `autoConcurrency`. */
            activeConcurrency: number;
            /** @description Size of a full batch in force: `batchingMinSize`, or less with `autoBatching`. */
            activeBatchSize: number;
            /** @description True if the queue drains and cancels everything without a test run. */
            cancelPending: boolean;
            /** @description The source of the list: the queue (an override) or the host (the branch rules). Null if there is no list; then nothing is merged. */
            requiredStatusesSource: components["schemas"]["RequiredStatusesSource"] | null;
            /** @description The number of changes of the settings. Together with queueId it forms the ETag. */
            settingsVersion: number;
            /**
             * Format: uuid
             * @description The permanent id of the queue, also after it is deleted.
             */
            queueId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was deleted; absent while it exists.
             */
            deletedAt?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
            /** @description Admitted pull requests in queue order: under test first, then waiting. */
            enqueuedPullRequests: components["schemas"]["EnqueuedPullRequest"][];
            /** @description Pull requests that are not ready. */
            notReadyPullRequests: components["schemas"]["EnqueuedPullRequest"][];
        };
        GetQueueSnapshotRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description The `version` of the last answer. Only what has changed since is answered, if that is known. */
            version?: string;
            /** @description True leaves out pull requests, test runs and ended pull requests. Send no `version` with it. */
            overviewOnly?: boolean;
        };
        GetQueueSnapshotAnswer: {
            /** @description To be sent with the next request. Any replica takes it. */
            version: string;
            /** @description The version that the rows are to be applied to; null if the answer is whole and replaces all rows. */
            since: string | null;
            /**
             * Format: date-time
             * @description The moment that is shown: up to a second ago, a minute without a change.
             */
            computedAt: string;
            /** @description Absent if it has not changed. */
            queue?: components["schemas"]["Queue"];
            /** @description Present with `queue`. */
            counts?: components["schemas"]["QueueCounts"];
            /** @description The tip of the target branch. Present with `queue`. */
            targetSha?: string | null;
            /** @description The landing in progress; null if there is none. Present with `queue`. */
            landing?: components["schemas"]["LandingInProgress"] | null;
            /** @description Alarms of the last 24 hours, newest first, at most 20; absent if they have not changed. */
            alarms?: components["schemas"]["QueueAlarm"][];
            /** @description The line in the order of getQueue, then those that are not ready, at most 1000 rows. */
            pullRequests?: components["schemas"]["SnapshotPullRequests"];
            /** @description Open test runs in queue order, then baseline runs, at most 200. */
            testRuns?: components["schemas"]["SnapshotTestRuns"];
            /** @description Pull requests that have left the queue, newest first, at most 50. */
            ended?: components["schemas"]["SnapshotEndedPullRequests"];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        GetQueueStatisticsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /**
             * Format: date-time
             * @description Rounded down to the start of a bucket in UTC; weeks begin on Monday.
             */
            since: string;
            /**
             * Format: date-time
             * @description Rounded up to the end of a bucket. Default: now.
             */
            until?: string;
            /** @description Length of a bucket; default day. */
            bucket?: components["schemas"]["StatisticsBucket"];
        };
        GetQueueStatisticsAnswer: {
            bucket: components["schemas"]["StatisticsBucket"];
            total: components["schemas"]["StatisticsOfSpan"];
            /** @description Oldest first, without gaps; empty ones included. */
            buckets: components["schemas"]["StatisticsOfSpan"][];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        GetQueueAtRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /**
             * Format: date-time
             * @description The moment (ISO 8601). One in the future counts as now.
             */
            at: string;
        };
        GetQueueAtAnswer: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            at: string;
            /**
             * Format: date-time
             * @description The earliest moment that can be asked for: older history was removed.
             */
            earliestAt: string;
            /** @description The state of the queue; null if the history does not go back to it. */
            state: components["schemas"]["WantedQueueState"] | null;
            /** @description In the order of getQueue, then those that were not ready, at most 1000. */
            pullRequests: components["schemas"]["PastPullRequest"][];
            /** @description How many more there were. */
            morePullRequests: number;
            /** @description Open test runs by creation, at most 200. */
            testRuns: components["schemas"]["PastTestRun"][];
            /** @description How many more there were. */
            moreTestRuns: number;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListQueueChangesRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /**
             * Format: date-time
             * @description Only changes at this time or later (ISO 8601).
             */
            since?: string;
            /**
             * Format: date-time
             * @description Only changes at this time or earlier (ISO 8601).
             */
            until?: string;
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
            /** @description Items per page; default 50. */
            take?: number;
        };
        ListQueueChangesAnswer: {
            /** @description Newest first. */
            changes: components["schemas"]["QueueChange"][];
            /** @description The cursor of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListQueuesRequest: {
            /** @description Only the queues of this repository. */
            repo?: components["schemas"]["Repository"];
            /** @description True lists deleted queues, whose history and receipts can still be read. */
            deleted?: boolean;
            /** @description Items per page; default 50. */
            take?: number;
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
        };
        ListQueuesAnswer: {
            queues: components["schemas"]["Queue"][];
            /** @description The cursor of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        PreviewRequest: components["schemas"]["PreviewUpdate"] | components["schemas"]["PreviewSubmit"] | components["schemas"]["PreviewCancel"] | components["schemas"]["PreviewRestart"];
        PreviewAnswer: {
            /** @description Why the command would be refused; null if it would be applied. */
            refusal: components["schemas"]["PreviewedRefusal"] | null;
            /** @description Test runs that would start, at most 100. */
            started: components["schemas"]["PreviewedTestRun"][];
            startedCount: number;
            /** @description Test runs that would be stopped or whose pass would be given up, at most 100. */
            cancelled: components["schemas"]["PreviewedCancellation"][];
            cancelledCount: number;
            /** @description The CI time of all of them. */
            ciMinutesLost: number;
            /** @description Pull requests whose state would change, at most 100. */
            moves: components["schemas"]["PreviewedMove"][];
            movesCount: number;
            /** @description Pull requests whose position would change, by the new one, at most 100. */
            positions: components["schemas"]["PreviewedPosition"][];
            positionsCount: number;
            /** @description Present if requested: expected merges of the pull requests concerned (of all, by a change of settings), of at most 20 at the front. */
            merges: components["schemas"]["PreviewedMerge"][];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        GetMergeQueueTestingDetailsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description One test run, open or closed. */
            testRunId?: string;
            /** @description The open test runs of this pull request, or its last one if none is open. */
            pr?: components["schemas"]["PullRequestNumber"];
        };
        GetMergeQueueTestingDetailsAnswer: {
            testRunId?: string;
            /** @description test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests. */
            purpose?: components["schemas"]["TestPurpose"];
            status?: components["schemas"]["TestStatus"];
            /** @description How it ended; null until then. */
            outcome?: components["schemas"]["TestOutcome"] | null;
            requiredStatuses?: string[];
            requiredStatusesSource?: components["schemas"]["HostStatusesSource"] | null;
            /** @description The ref of the tested commit at the code host; null until it is built. */
            testBranch?: string | null;
            /** @description The tested commit; null until it is built. */
            testBranchSha?: string | null;
            /** @description The commit of the target branch that it was built on. */
            baseSha?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            testingSince?: string | null;
            /**
             * Format: date-time
             * @description When it times out; null without a timeout.
             */
            deadlineAt?: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds.
             */
            endedAt?: string | null;
            /** @description Why it was closed; null while it is open. */
            closedBecause?: string | null;
            checkSuites?: components["schemas"]["CheckSuite"][];
            /** @description Always empty: checkSuites has every check. */
            statusChecks?: components["schemas"]["StatusCheck"][];
            /** @description The check that failed it; empty otherwise. */
            failureCausingStatuses?: components["schemas"]["FailureCausingStatus"][];
            testedPullRequests?: components["schemas"]["TestedPullRequest"][];
            /** @description One sentence: what the test run waits for, or how it ended and why it was closed. */
            explanation?: string;
            /** @description Pull requests ahead that it is stacked on. */
            dependentPrs?: number[];
            /** @description Pull requests that must be decided before it can land. */
            waitsOnPrs?: number[];
            /** @description Targets of the tested pull requests and of those below them. */
            impactedTargets?: string[] | "ALL";
            impactedTargetsForTestedPrs?: string[] | "ALL";
            runs: components["schemas"]["TestingDetails"][];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListMergeQueueTestingResultsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /**
             * Format: date-time
             * @description Runs that ended then or later (ISO 8601).
             */
            since: string;
            /**
             * Format: date-time
             * @description Only test runs that ended at this time or earlier. Default: now.
             */
            until?: string;
            /** @description Items to skip; default 0. */
            offset?: number;
            /** @description Items per page; default 50. */
            take?: number;
        };
        ListMergeQueueTestingResultsAnswer: {
            testingResults: components["schemas"]["TestingResult"][];
            totalItems: number;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListExpectedChecksRequest: {
            /** @description Default: every repository of the token. */
            repo?: components["schemas"]["Repository"];
            /** @description Only these checks. Default: all that the token may report. */
            checks?: string[];
            /** @description Lists a check that you have begun only if your last report of it is at least this old, because its worker may be dead. Default: all that you have begun. */
            silentSeconds?: number;
            /** @description Maximum wait if no check is expected; default 0. */
            waitSeconds?: number;
            /** @description Items per page; default 50. */
            take?: number;
        };
        ListExpectedChecksAnswer: {
            /** @description Oldest request first. */
            expectedChecks: components["schemas"]["ExpectedCheck"][];
            /** @description False if no check was expected within the wait. */
            reached: boolean;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ReportCheckRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description Left out: that of a report token, or the newest live test run of `commit`. */
            testRunId?: string;
            /** @description The tested commit. Refused if the test run tests another one. */
            commit?: string;
            /** @description Name of the check. */
            check: string;
            status: components["schemas"]["ReportedStatus"];
            /** @description Required with `completed`, and only allowed then. */
            conclusion?: components["schemas"]["ReportedConclusion"];
            /** @description True if it has failed in part and is still running. It is shown to people; the verdict waits for the end. */
            failing?: boolean;
            /** @description The order of your reports of a check of a test run. Default: the order of arrival. */
            sequence?: number;
            /**
             * Format: date-time
             * @description Required for a failure that names only a commit, and not before the test run began.
             */
            startedAt?: string;
            /**
             * Format: date-time
             * @description Default: now.
             */
            completedAt?: string;
            /** @description The http or https link to the log, for people. This service never fetches it. */
            url?: string;
            /** @description One line about its progress or result. */
            summary?: string;
        };
        ReportCheckAnswer: {
            testRunId: string;
            check: string;
            /** @description The name under which your token reports, which is the source of the verdict. */
            reporter: string;
            /** @description False if a later report of yours is known; then nothing was changed. */
            applied: boolean;
            /** @description The present status. */
            status: components["schemas"]["ReportedStatus"];
            conclusion: components["schemas"]["ReportedConclusion"] | null;
            sequence: number;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListReceiptsRequest: {
            /** @description Repository. */
            repo: components["schemas"]["Repository"];
            /** @description The branch that the merge queue targets. */
            targetBranch: string;
            /** @description A queue of this branch, also a deleted one. Default: the present one. */
            queueId?: string;
            /** @description Only receipts of this pull request, which form no chain by themselves. */
            pr?: components["schemas"]["PullRequestNumber"];
            /** @description Only receipts with a higher number, for example since the last verified one. */
            after?: number;
            /** @description Items per page; default 50. */
            take?: number;
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
        };
        ListReceiptsAnswer: {
            /** @description In ascending order, exactly as hashed. */
            receipts: components["schemas"]["Receipt"][];
            /** @description The present end of the chain, to compare with; null for a deleted queue. */
            chain: components["schemas"]["ReceiptChain"] | null;
            /** @description The cursor of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        WhoamiRequest: Record<string, never>;
        WhoamiAnswer: {
            tokenId: string;
            /** @description True for the token of the configuration, which cannot be revoked by an operation. */
            isBootstrap: boolean;
            name: string;
            /** @description The person behind it; null if none was named. */
            person: string | null;
            /** @description The name under which it reports checks. */
            reporter: string;
            scopes: components["schemas"]["TokenScope"][];
            /** @description The only repositories that it may access; null for all. */
            repositories: components["schemas"]["Repository"][] | null;
            /** @description The only checks that it may list and report; null for all. */
            checks: string[] | null;
            /**
             * Format: date-time
             * @description When it expires; null for never.
             */
            expiresAt: string | null;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        CreateTokenRequest: {
            /** @description The name shown to people for its requests. */
            name: string;
            /** @description The operations that it may call. */
            scopes: components["schemas"]["TokenScope"][];
            /** @description The only repositories that it may access; null for all. Default: those of the token of this request. */
            repositories?: components["schemas"]["Repository"][] | null;
            /** @description The only checks that it may list and report, by name; null for all. Default: those of the token of this request. */
            checks?: string[] | null;
            /**
             * Format: date-time
             * @description When it expires; null for never. Not later than the token of this request. Default: in a year, or with that token if that is sooner.
             */
            expiresAt?: string | null;
            /** @description The person behind it, shown with each of its requests. A person other than that of the token of this request needs the scope admin. */
            person?: string | null;
            /** @description The name under which it reports checks. A name other than that of the token of this request needs the scope admin. Default with that scope: the name of the token. */
            reporter?: string;
        };
        RotateTokenRequest: {
            /** @description The id of a token, as answered by listTokens. */
            tokenId: string;
            /** @description How long the old token stays valid, at most; default 86400, a day. */
            overlapSeconds?: number;
            /**
             * Format: date-time
             * @description When the new token expires; null for never. Default: the same lifetime as the old one.
             */
            expiresAt?: string | null;
        };
        ListTokensRequest: {
            /** @description Items per page; default 50. */
            take?: number;
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
        };
        ListTokensAnswer: {
            tokens: components["schemas"]["Token"][];
            /** @description The cursor of the next page; absent on the last page. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        RevokeTokenRequest: {
            /** @description The id of a token, as answered by listTokens. */
            tokenId: string;
            /** @description True keeps the tokens that it made; by default they are revoked with it. */
            keepMade?: boolean;
        };
        RevokeTokenAnswer: {
            /** @description The tokens that this request revoked; empty if all were revoked before. */
            revokedTokenIds: string[];
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        CreateWebhookRequest: {
            /** @description Where events are posted: https, unless the configuration allows more, and no address in a private network. */
            url: string;
            /** @description What it is for, for people. */
            description?: string;
            /** @description `standard`: the events as JSON, signed. `slack`: one line of text with a link. */
            format?: components["schemas"]["WebhookFormat"];
            /** @description The event types that it gets. Default and null: all. */
            types?: components["schemas"]["WebhookEventType"][] | null;
            /** @description Only events of this repository. Default and null: all that the token may name. */
            repo?: components["schemas"]["Repository"] | null;
            /** @description Only events of this queue. Needs repo. Default and null: all. */
            targetBranch?: string | null;
        };
        ListWebhooksAnswer: {
            webhooks: components["schemas"]["Webhook"][];
            /** @description Where the next page begins; absent at the end. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        UpdateWebhookRequest: {
            /** @description The id of a webhook, as listWebhooks answers it. */
            webhookId: string;
            /** @description Where events are posted: https, unless the configuration allows more, and no address in a private network. */
            url?: string;
            /** @description What it is for, for people. */
            description?: string;
            /** @description `standard`: the events as JSON, signed. `slack`: one line of text with a link. */
            format?: components["schemas"]["WebhookFormat"];
            /** @description The event types that it gets. Default and null: all. */
            types?: components["schemas"]["WebhookEventType"][] | null;
            /** @description Only events of this repository. Default and null: all that the token may name. */
            repo?: components["schemas"]["Repository"] | null;
            /** @description Only events of this queue. Needs repo. Default and null: all. */
            targetBranch?: string | null;
            /** @description False ends deliveries; true begins again, with what happens from then on. */
            enabled?: boolean;
            /** @description True makes a new secret. Deliveries are signed with both for the overlap. */
            rotateSecret?: boolean;
            /** @description How long the old secret also signs; default 86400, a day. Needs rotateSecret. */
            overlapSeconds?: number;
        };
        TestWebhookAnswer: {
            /** @description The delivery, to be found with listDeliveries. */
            deliveryId: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListDeliveriesRequest: {
            /** @description The id of a webhook, as listWebhooks answers it. */
            webhookId: string;
            /** @description Left out, all. */
            states?: components["schemas"]["WebhookDeliveryState"][];
            /** @description Items per page; default 50. */
            take?: number;
            /** @description The nextCursor of the previous page. Default: the first page. */
            cursor?: string;
        };
        ListDeliveriesAnswer: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description Where the next page begins; absent at the end. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        ReplayDeliveriesRequest: {
            /** @description The id of a webhook, as listWebhooks answers it. */
            webhookId: string;
            /** @description These deliveries. Default: all of the range. */
            deliveryIds?: string[];
            /**
             * Format: date-time
             * @description Only what was recorded then or later. Required without deliveryIds.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Only what was recorded then or before.
             */
            until?: string;
            /** @description Only deliveries in one of these states, e.g. `failed`. Pending ones are left as they are. */
            states?: components["schemas"]["WebhookDeliveryState"][];
            /** @description The nextCursor of the previous answer. Default: from the oldest one. */
            cursor?: string;
        } | unknown | unknown;
        ReplayDeliveriesAnswer: {
            replayedCount: number;
            /** @description Ask again with it where there are more; absent at the end. */
            nextCursor?: string;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        DiagnoseRequest: {
            /** @description Only queues of this repository. */
            repo?: components["schemas"]["Repository"];
            /** @description Only queues of this branch. */
            targetBranch?: string;
            /** @description True first repairs what findings mark as repairable. Needs a token of all repositories. */
            repair?: boolean;
        };
        DiagnoseAnswer: {
            /** @description The version of the service; null if it does not say. */
            version: string | null;
            /**
             * Format: date-time
             * @description The clock of the service, to compare with that of the client.
             */
            time: string;
            /** @description What the token of this request may do. */
            token: components["schemas"]["OwnToken"];
            /** @description Errors first, at most 1000; null for a token without the scope admin. */
            findings: components["schemas"]["Finding"][] | null;
            /** @description The number of queues that were checked, at most 1000; null without admin. */
            queues: number | null;
            /** @description False if there are more queues or findings than that. */
            isComplete: boolean;
            /** @description Probable mistakes; absent if there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
    };
    responses: {
        /** @description Malformed or invalid; nothing was stored. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Missing or invalid token. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token lacks the scope or the repository. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No such repository, branch, queue, pull request or test run. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body did not arrive in time. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request conflicts with the present state. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The settings have changed since the version in If-Match. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than 20 MiB. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The Content-Type of the body is not JSON. */
        UnsupportedContentType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The header Expect has an unknown value. */
        ExpectationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description It cannot be done to a pull request in that state, or the Idempotency-Key was used for another request. */
        NotPossible: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests; retry after Retry-After. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The headers are too large. */
        HeadersTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An unexpected error; the correlation id is in the log. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Temporarily unavailable; retry after Retry-After. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
        IdempotencyKey: string;
        /** @description The ETag of the settings that were read. If they have changed since, the answer is 412 and nothing is changed. */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The version of the settings, for If-Match of updateQueue. */
        ETag: string;
        /** @description The id of this request in the log. */
        RequestId: string;
        /** @description Seconds to wait before the next try. */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    submitPullRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "number": 41
                 *       },
                 *       "priority": "high"
                 *     }
                 */
                "application/json": components["schemas"]["SubmitPullRequestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *       "state": "testing",
                     *       "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *       "attempt": 1,
                     *       "priorityValue": 10,
                     *       "priorityName": "high",
                     *       "usedDefaultPriorityName": "medium",
                     *       "skipTheLine": false,
                     *       "noBatch": false,
                     *       "forceEnqueued": false,
                     *       "prNumber": 41,
                     *       "prTitle": "Add a login page",
                     *       "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *       "prBaseBranch": "main",
                     *       "prAuthor": "ada",
                     *       "prUrl": "https://github.com/acme/widgets/pull/41",
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "waitingFor": {
                     *         "code": "checks",
                     *         "sentence": "Waiting for the checks build and test.",
                     *         "behindPr": null,
                     *         "until": "2026-09-17T10:46:02.000Z"
                     *       },
                     *       "isCurrentlySubmittedToQueue": true,
                     *       "submittedAt": "2026-09-17T10:15:40.000Z",
                     *       "readiness": {
                     *         "requiresImpactedTargets": false,
                     *         "hasImpactedTargets": false,
                     *         "doesBaseBranchMatch": true,
                     *         "hostMergeability": "mergeable",
                     *         "gitHubMergeability": "mergeable"
                     *       },
                     *       "verifiedByTestRun": null,
                     *       "failedTestRun": null,
                     *       "queueState": "running"
                     *     }
                     */
                    "application/json": components["schemas"]["SubmittedPullRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelPullRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "number": 41
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PullRequestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *       "state": "cancelled",
                     *       "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *       "attempt": 1,
                     *       "priorityValue": 100,
                     *       "priorityName": "medium",
                     *       "usedDefaultPriorityName": "medium",
                     *       "skipTheLine": false,
                     *       "noBatch": false,
                     *       "forceEnqueued": false,
                     *       "prNumber": 41,
                     *       "prTitle": "Add a login page",
                     *       "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *       "prBaseBranch": "main",
                     *       "prAuthor": "ada",
                     *       "prUrl": "https://github.com/acme/widgets/pull/41",
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "waitingFor": {
                     *         "code": "checks",
                     *         "sentence": "Waiting for the checks build and test.",
                     *         "behindPr": null,
                     *         "until": "2026-09-17T10:46:02.000Z"
                     *       },
                     *       "isCurrentlySubmittedToQueue": false,
                     *       "submittedAt": "2026-09-17T10:15:40.000Z",
                     *       "readiness": {
                     *         "requiresImpactedTargets": false,
                     *         "hasImpactedTargets": false,
                     *         "doesBaseBranchMatch": true,
                     *         "hostMergeability": "mergeable",
                     *         "gitHubMergeability": "mergeable"
                     *       },
                     *       "verifiedByTestRun": null,
                     *       "failedTestRun": null,
                     *       "queueState": "running"
                     *     }
                     */
                    "application/json": components["schemas"]["SubmittedPullRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    restartTestsOnPullRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "number": 41
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PullRequestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *       "state": "pending",
                     *       "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *       "attempt": 1,
                     *       "priorityValue": 100,
                     *       "priorityName": "medium",
                     *       "usedDefaultPriorityName": "medium",
                     *       "skipTheLine": false,
                     *       "noBatch": false,
                     *       "forceEnqueued": false,
                     *       "prNumber": 41,
                     *       "prTitle": "Add a login page",
                     *       "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *       "prBaseBranch": "main",
                     *       "prAuthor": "ada",
                     *       "prUrl": "https://github.com/acme/widgets/pull/41",
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "waitingFor": {
                     *         "code": "checks",
                     *         "sentence": "Waiting for the checks build and test.",
                     *         "behindPr": null,
                     *         "until": "2026-09-17T10:46:02.000Z"
                     *       },
                     *       "isCurrentlySubmittedToQueue": true,
                     *       "submittedAt": "2026-09-17T10:15:40.000Z",
                     *       "readiness": {
                     *         "requiresImpactedTargets": false,
                     *         "hasImpactedTargets": false,
                     *         "doesBaseBranchMatch": true,
                     *         "hostMergeability": "mergeable",
                     *         "gitHubMergeability": "mergeable"
                     *       },
                     *       "verifiedByTestRun": null,
                     *       "failedTestRun": null,
                     *       "queueState": "running"
                     *     }
                     */
                    "application/json": components["schemas"]["SubmittedPullRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubmittedPullRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "branch": "login-page"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GetSubmittedPullRequestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *       "state": "testing",
                     *       "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *       "attempt": 1,
                     *       "priorityValue": 100,
                     *       "priorityName": "medium",
                     *       "usedDefaultPriorityName": "medium",
                     *       "skipTheLine": false,
                     *       "noBatch": false,
                     *       "forceEnqueued": false,
                     *       "prNumber": 41,
                     *       "prTitle": "Add a login page",
                     *       "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *       "prBaseBranch": "main",
                     *       "prAuthor": "ada",
                     *       "prUrl": "https://github.com/acme/widgets/pull/41",
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "waitingFor": {
                     *         "code": "checks",
                     *         "sentence": "Waiting for the checks build and test.",
                     *         "behindPr": null,
                     *         "until": "2026-09-17T10:46:02.000Z"
                     *       },
                     *       "isCurrentlySubmittedToQueue": true,
                     *       "submittedAt": "2026-09-17T10:15:40.000Z",
                     *       "readiness": {
                     *         "requiresImpactedTargets": false,
                     *         "hasImpactedTargets": false,
                     *         "doesBaseBranchMatch": true,
                     *         "hostMergeability": "mergeable",
                     *         "gitHubMergeability": "mergeable"
                     *       },
                     *       "verifiedByTestRun": null,
                     *       "failedTestRun": null,
                     *       "queueState": "running",
                     *       "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *       "position": 1,
                     *       "aheadInLane": 0,
                     *       "remedy": "It merges by itself once its checks have passed.",
                     *       "failure": null,
                     *       "endedBy": null,
                     *       "landedCommit": null
                     *     }
                     */
                    "application/json": components["schemas"]["FoundPullRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubmittedPullRequests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "prs": [
                 *         {
                 *           "number": 41
                 *         },
                 *         {
                 *           "number": 42
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GetSubmittedPullRequestsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pullRequests": [
                     *         {
                     *           "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *           "state": "testing",
                     *           "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *           "attempt": 1,
                     *           "priorityValue": 100,
                     *           "priorityName": "medium",
                     *           "usedDefaultPriorityName": "medium",
                     *           "skipTheLine": false,
                     *           "noBatch": false,
                     *           "forceEnqueued": false,
                     *           "prNumber": 41,
                     *           "prTitle": "Add a login page",
                     *           "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *           "prBaseBranch": "main",
                     *           "prAuthor": "ada",
                     *           "prUrl": "https://github.com/acme/widgets/pull/41",
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "waitingFor": {
                     *             "code": "checks",
                     *             "sentence": "Waiting for the checks build and test.",
                     *             "behindPr": null,
                     *             "until": "2026-09-17T10:46:02.000Z"
                     *           },
                     *           "isCurrentlySubmittedToQueue": true,
                     *           "submittedAt": "2026-09-17T10:15:40.000Z",
                     *           "readiness": {
                     *             "requiresImpactedTargets": false,
                     *             "hasImpactedTargets": false,
                     *             "doesBaseBranchMatch": true,
                     *             "hostMergeability": "mergeable",
                     *             "gitHubMergeability": "mergeable"
                     *           },
                     *           "verifiedByTestRun": null,
                     *           "failedTestRun": null,
                     *           "queueState": "running",
                     *           "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *           "position": 1,
                     *           "aheadInLane": 0,
                     *           "remedy": "It merges by itself once its checks have passed.",
                     *           "failure": null,
                     *           "endedBy": null,
                     *           "landedCommit": null
                     *         }
                     *       ],
                     *       "notFound": [
                     *         42
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GetSubmittedPullRequestsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    waitForPullRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "number": 41
                 *       },
                 *       "waitSeconds": 30
                 *     }
                 */
                "application/json": components["schemas"]["WaitForPullRequestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *       "state": "testing",
                     *       "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *       "attempt": 1,
                     *       "priorityValue": 100,
                     *       "priorityName": "medium",
                     *       "usedDefaultPriorityName": "medium",
                     *       "skipTheLine": false,
                     *       "noBatch": false,
                     *       "forceEnqueued": false,
                     *       "prNumber": 41,
                     *       "prTitle": "Add a login page",
                     *       "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *       "prBaseBranch": "main",
                     *       "prAuthor": "ada",
                     *       "prUrl": "https://github.com/acme/widgets/pull/41",
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "waitingFor": {
                     *         "code": "checks",
                     *         "sentence": "Waiting for the checks build and test.",
                     *         "behindPr": null,
                     *         "until": "2026-09-17T10:46:02.000Z"
                     *       },
                     *       "isCurrentlySubmittedToQueue": true,
                     *       "submittedAt": "2026-09-17T10:15:40.000Z",
                     *       "readiness": {
                     *         "requiresImpactedTargets": false,
                     *         "hasImpactedTargets": false,
                     *         "doesBaseBranchMatch": true,
                     *         "hostMergeability": "mergeable",
                     *         "gitHubMergeability": "mergeable"
                     *       },
                     *       "verifiedByTestRun": null,
                     *       "failedTestRun": null,
                     *       "queueState": "running",
                     *       "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *       "position": 1,
                     *       "aheadInLane": 0,
                     *       "remedy": "It merges by itself once its checks have passed.",
                     *       "failure": null,
                     *       "endedBy": null,
                     *       "landedCommit": null,
                     *       "reached": false
                     *     }
                     */
                    "application/json": components["schemas"]["WaitForPullRequestAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPullRequestTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "number": 41
                 *       },
                 *       "take": 2
                 *     }
                 */
                "application/json": components["schemas"]["GetPullRequestTimelineRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "timeline": [
                     *         {
                     *           "timestamp": "2026-09-17T10:16:02.000Z",
                     *           "attempt": 1,
                     *           "state": "testing",
                     *           "testing": {
                     *             "reason": null,
                     *             "detail": null,
                     *             "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20"
                     *           }
                     *         },
                     *         {
                     *           "timestamp": "2026-09-17T10:15:40.000Z",
                     *           "command": {
                     *             "name": "submit",
                     *             "actor": {
                     *               "kind": "api",
                     *               "name": "ada"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "state": "testing",
                     *           "startedAt": "2026-09-17T10:15:40.000Z",
                     *           "endedAt": null,
                     *           "sentence": "It is being tested.",
                     *           "spentMs": {
                     *             "not_ready": 22000
                     *           },
                     *           "story": [
                     *             {
                     *               "timestamp": "2026-09-17T10:16:02.000Z",
                     *               "state": "testing",
                     *               "reason": null,
                     *               "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *               "sentence": "Its tests began."
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GetPullRequestTimelineAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPullRequests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "state": "testing"
                 *     }
                 */
                "application/json": components["schemas"]["ListPullRequestsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pullRequests": [
                     *         {
                     *           "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *           "state": "testing",
                     *           "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *           "attempt": 1,
                     *           "priorityValue": 100,
                     *           "priorityName": "medium",
                     *           "usedDefaultPriorityName": "medium",
                     *           "skipTheLine": false,
                     *           "noBatch": false,
                     *           "forceEnqueued": false,
                     *           "prNumber": 41,
                     *           "prTitle": "Add a login page",
                     *           "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *           "prBaseBranch": "main",
                     *           "prAuthor": "ada",
                     *           "prUrl": "https://github.com/acme/widgets/pull/41",
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "waitingFor": {
                     *             "code": "checks",
                     *             "sentence": "Waiting for the checks build and test.",
                     *             "behindPr": null,
                     *             "until": "2026-09-17T10:46:02.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListPullRequestsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    setImpactedTargets: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "pr": {
                 *         "number": 41,
                 *         "sha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4"
                 *       },
                 *       "impactedTargets": [
                 *         "//app:login"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SetImpactedTargetsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "prNumber": 41,
                     *       "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *       "impactedTargetsCount": 1,
                     *       "impactedTargets": [
                     *         "//app:login"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SetImpactedTargetsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "concurrency": 5
                 *     }
                 */
                "application/json": components["schemas"]["QueueSettingsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "single",
                     *       "concurrency": 5,
                     *       "bisectionConcurrency": 5,
                     *       "autoConcurrency": false,
                     *       "testingTimeoutMinutes": 300,
                     *       "pendingFailureDepth": 0,
                     *       "canOptimisticallyMerge": false,
                     *       "batch": false,
                     *       "batchingMaxWaitTimeMinutes": 5,
                     *       "batchingMinSize": 4,
                     *       "autoBatching": false,
                     *       "createPrsForTestingBranches": true,
                     *       "commentsEnabled": true,
                     *       "commandsEnabled": true,
                     *       "statusCheckEnabled": true,
                     *       "extensionEnabled": true,
                     *       "enqueueingLabel": "merge-queue-submit",
                     *       "labelCommandsEnabled": true,
                     *       "stateLabelsEnabled": false,
                     *       "notReadyTimeoutHours": 24,
                     *       "testBranchConstructionMode": "rename_temp_branch",
                     *       "allowedBotSubmitters": [],
                     *       "batchingRules": [],
                     *       "directMergeMode": "off",
                     *       "optimizationMode": "off",
                     *       "confirmBeforeFailing": false,
                     *       "trustForkTargets": false,
                     *       "mergeMethod": "squash",
                     *       "freezeUntil": null,
                     *       "freezeReason": null,
                     *       "freezeAllowsUrgent": false,
                     *       "publicRead": false,
                     *       "requiredStatuses": [
                     *         "build",
                     *         "test"
                     *       ],
                     *       "state": "running",
                     *       "stateReason": null,
                     *       "repo": {
                     *         "host": "github.com",
                     *         "owner": "acme",
                     *         "name": "widgets"
                     *       },
                     *       "branch": "main",
                     *       "activeConcurrency": 5,
                     *       "activeBatchSize": 4,
                     *       "activeMode": "single",
                     *       "cancelPending": false,
                     *       "requiredStatusesSource": "host",
                     *       "settingsVersion": 1,
                     *       "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *       "createdAt": "2026-09-17T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Queue"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the settings that were read. If they have changed since, the answer is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "state": "paused",
                 *       "stateReason": "The database is being upgraded."
                 *     }
                 */
                "application/json": components["schemas"]["QueueSettingsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "single",
                     *       "concurrency": 5,
                     *       "bisectionConcurrency": 5,
                     *       "autoConcurrency": false,
                     *       "testingTimeoutMinutes": 300,
                     *       "pendingFailureDepth": 0,
                     *       "canOptimisticallyMerge": false,
                     *       "batch": false,
                     *       "batchingMaxWaitTimeMinutes": 5,
                     *       "batchingMinSize": 4,
                     *       "autoBatching": false,
                     *       "createPrsForTestingBranches": true,
                     *       "commentsEnabled": true,
                     *       "commandsEnabled": true,
                     *       "statusCheckEnabled": true,
                     *       "extensionEnabled": true,
                     *       "enqueueingLabel": "merge-queue-submit",
                     *       "labelCommandsEnabled": true,
                     *       "stateLabelsEnabled": false,
                     *       "notReadyTimeoutHours": 24,
                     *       "testBranchConstructionMode": "rename_temp_branch",
                     *       "allowedBotSubmitters": [],
                     *       "batchingRules": [],
                     *       "directMergeMode": "off",
                     *       "optimizationMode": "off",
                     *       "confirmBeforeFailing": false,
                     *       "trustForkTargets": false,
                     *       "mergeMethod": "squash",
                     *       "freezeUntil": null,
                     *       "freezeReason": null,
                     *       "freezeAllowsUrgent": false,
                     *       "publicRead": false,
                     *       "requiredStatuses": [
                     *         "build",
                     *         "test"
                     *       ],
                     *       "state": "paused",
                     *       "stateReason": {
                     *         "code": "REQUESTED",
                     *         "sentence": "The database is being upgraded.",
                     *         "actor": {
                     *           "kind": "api",
                     *           "name": "ada"
                     *         },
                     *         "at": "2026-09-17T10:20:00.000Z"
                     *       },
                     *       "repo": {
                     *         "host": "github.com",
                     *         "owner": "acme",
                     *         "name": "widgets"
                     *       },
                     *       "branch": "main",
                     *       "activeConcurrency": 5,
                     *       "activeBatchSize": 4,
                     *       "activeMode": "single",
                     *       "cancelPending": false,
                     *       "requiredStatusesSource": "host",
                     *       "settingsVersion": 1,
                     *       "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *       "createdAt": "2026-09-17T10:00:00.000Z",
                     *       "landingUnderWay": false
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateQueueAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main"
                 *     }
                 */
                "application/json": components["schemas"]["QueueRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["DeleteQueueAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main"
                 *     }
                 */
                "application/json": components["schemas"]["QueueRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "single",
                     *       "concurrency": 5,
                     *       "bisectionConcurrency": 5,
                     *       "autoConcurrency": false,
                     *       "testingTimeoutMinutes": 300,
                     *       "pendingFailureDepth": 0,
                     *       "canOptimisticallyMerge": false,
                     *       "batch": false,
                     *       "batchingMaxWaitTimeMinutes": 5,
                     *       "batchingMinSize": 4,
                     *       "autoBatching": false,
                     *       "createPrsForTestingBranches": true,
                     *       "commentsEnabled": true,
                     *       "commandsEnabled": true,
                     *       "statusCheckEnabled": true,
                     *       "extensionEnabled": true,
                     *       "enqueueingLabel": "merge-queue-submit",
                     *       "labelCommandsEnabled": true,
                     *       "stateLabelsEnabled": false,
                     *       "notReadyTimeoutHours": 24,
                     *       "testBranchConstructionMode": "rename_temp_branch",
                     *       "allowedBotSubmitters": [],
                     *       "batchingRules": [],
                     *       "directMergeMode": "off",
                     *       "optimizationMode": "off",
                     *       "confirmBeforeFailing": false,
                     *       "trustForkTargets": false,
                     *       "mergeMethod": "squash",
                     *       "freezeUntil": null,
                     *       "freezeReason": null,
                     *       "freezeAllowsUrgent": false,
                     *       "publicRead": false,
                     *       "requiredStatuses": [
                     *         "build",
                     *         "test"
                     *       ],
                     *       "state": "running",
                     *       "stateReason": null,
                     *       "repo": {
                     *         "host": "github.com",
                     *         "owner": "acme",
                     *         "name": "widgets"
                     *       },
                     *       "branch": "main",
                     *       "activeConcurrency": 5,
                     *       "activeBatchSize": 4,
                     *       "activeMode": "single",
                     *       "cancelPending": false,
                     *       "requiredStatusesSource": "host",
                     *       "settingsVersion": 1,
                     *       "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *       "createdAt": "2026-09-17T10:00:00.000Z",
                     *       "enqueuedPullRequests": [
                     *         {
                     *           "id": "e729c891-37c5-4f8e-9d55-0b6a2c0f3f4d",
                     *           "state": "testing",
                     *           "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *           "attempt": 1,
                     *           "priorityValue": 100,
                     *           "priorityName": "medium",
                     *           "usedDefaultPriorityName": "medium",
                     *           "skipTheLine": false,
                     *           "noBatch": false,
                     *           "forceEnqueued": false,
                     *           "prNumber": 41,
                     *           "prTitle": "Add a login page",
                     *           "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *           "prBaseBranch": "main",
                     *           "prAuthor": "ada",
                     *           "prUrl": "https://github.com/acme/widgets/pull/41",
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "waitingFor": {
                     *             "code": "checks",
                     *             "sentence": "Waiting for the checks build and test.",
                     *             "behindPr": null,
                     *             "until": "2026-09-17T10:46:02.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "notReadyPullRequests": []
                     *     }
                     */
                    "application/json": components["schemas"]["GetQueueAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getQueueSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "version": "7d1f1c54-6d0e-4c57-9a55-3c5b4b1d0a01.41"
                 *     }
                 */
                "application/json": components["schemas"]["GetQueueSnapshotRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "7d1f1c54-6d0e-4c57-9a55-3c5b4b1d0a01.42",
                     *       "since": "7d1f1c54-6d0e-4c57-9a55-3c5b4b1d0a01.41",
                     *       "computedAt": "2026-09-17T10:20:00.000Z",
                     *       "pullRequests": {
                     *         "rows": [
                     *           {
                     *             "prNumber": 41,
                     *             "prTitle": "Add a login page",
                     *             "prAuthor": "ada",
                     *             "prUrl": "https://github.com/acme/widgets/pull/41",
                     *             "prSha": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *             "attempt": 1,
                     *             "state": "testing",
                     *             "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *             "submittedAt": "2026-09-17T10:15:40.000Z",
                     *             "priorityValue": 100,
                     *             "priorityName": "medium",
                     *             "skipTheLine": false,
                     *             "noBatch": false,
                     *             "position": 1,
                     *             "lane": 41,
                     *             "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *             "waitingFor": {
                     *               "code": "checks",
                     *               "sentence": "Waiting for the checks build and test.",
                     *               "behindPr": null,
                     *               "until": "2026-09-17T10:46:02.000Z",
                     *               "remedy": "It merges by itself once its checks have passed."
                     *             }
                     *           }
                     *         ],
                     *         "removed": [
                     *           40
                     *         ],
                     *         "order": [
                     *           41,
                     *           42
                     *         ],
                     *         "more": 0
                     *       },
                     *       "testRuns": {
                     *         "rows": [
                     *           {
                     *             "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *             "purpose": "test",
                     *             "state": "testing",
                     *             "outcome": null,
                     *             "prNumbers": [
                     *               41
                     *             ],
                     *             "testedOnTopOf": [],
                     *             "baseSha": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
                     *             "testBranch": "refs/mq/candidates/c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *             "testBranchSha": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *             "createdAt": "2026-09-17T10:16:00.000Z",
                     *             "testingSince": "2026-09-17T10:16:02.000Z",
                     *             "deadlineAt": "2026-09-17T10:46:02.000Z",
                     *             "endedAt": null,
                     *             "bisects": null,
                     *             "requiredStatuses": [
                     *               "build",
                     *               "test"
                     *             ],
                     *             "checks": [
                     *               {
                     *                 "name": "build",
                     *                 "source": "ci",
                     *                 "status": "IN_PROGRESS",
                     *                 "conclusion": null,
                     *                 "startedAt": "2026-09-17T10:16:05.000Z",
                     *                 "completedAt": null,
                     *                 "summary": null,
                     *                 "hasLog": true
                     *               }
                     *             ],
                     *             "explanation": "#41 is in test run c7a1d9f4: check build has been running for 4 min."
                     *           }
                     *         ],
                     *         "removed": [],
                     *         "more": 0
                     *       },
                     *       "ended": {
                     *         "rows": [],
                     *         "removed": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GetQueueSnapshotAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getQueueStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "since": "2026-09-17T10:00:00.000Z",
                 *       "until": "2026-09-17T10:59:00.000Z",
                 *       "bucket": "day"
                 *     }
                 */
                "application/json": components["schemas"]["GetQueueStatisticsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "day",
                     *       "total": {
                     *         "since": "2026-09-17T00:00:00.000Z",
                     *         "until": "2026-09-18T00:00:00.000Z",
                     *         "landed": 37,
                     *         "failed": 3,
                     *         "cancelled": 1,
                     *         "timeInQueue": {
                     *           "medianMs": 412000,
                     *           "p95Ms": 1260000
                     *         },
                     *         "ciMinutes": [
                     *           {
                     *             "purpose": "test",
                     *             "cause": "landed",
                     *             "used": true,
                     *             "minutes": 184.5
                     *           }
                     *         ],
                     *         "checks": [
                     *           {
                     *             "name": "build",
                     *             "tests": 41,
                     *             "failures": 3,
                     *             "flakes": 1,
                     *             "failureRate": 0.0732,
                     *             "flakeRate": 0.0244
                     *           }
                     *         ]
                     *       },
                     *       "buckets": [
                     *         {
                     *           "since": "2026-09-17T00:00:00.000Z",
                     *           "until": "2026-09-18T00:00:00.000Z",
                     *           "landed": 37,
                     *           "failed": 3,
                     *           "cancelled": 1,
                     *           "timeInQueue": {
                     *             "medianMs": 412000,
                     *             "p95Ms": 1260000
                     *           },
                     *           "ciMinutes": [
                     *             {
                     *               "purpose": "test",
                     *               "cause": "landed",
                     *               "used": true,
                     *               "minutes": 184.5
                     *             }
                     *           ],
                     *           "checks": [
                     *             {
                     *               "name": "build",
                     *               "tests": 41,
                     *               "failures": 3,
                     *               "flakes": 1,
                     *               "failureRate": 0.0732,
                     *               "flakeRate": 0.0244
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GetQueueStatisticsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getQueueAt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "at": "2026-09-17T10:20:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["GetQueueAtRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-09-17T10:20:00.000Z",
                     *       "earliestAt": "2026-09-17T10:00:00.000Z",
                     *       "state": "running",
                     *       "pullRequests": [
                     *         {
                     *           "prNumber": 41,
                     *           "prTitle": "Add a login page",
                     *           "prAuthor": "ada",
                     *           "attempt": 1,
                     *           "state": "testing",
                     *           "stateChangedAt": "2026-09-17T10:16:02.000Z",
                     *           "reason": "CAPACITY_AVAILABLE",
                     *           "position": 1,
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20"
                     *         }
                     *       ],
                     *       "morePullRequests": 0,
                     *       "testRuns": [
                     *         {
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "purpose": "test",
                     *           "state": "testing",
                     *           "outcome": null,
                     *           "prNumbers": [
                     *             41
                     *           ],
                     *           "testedOnTopOf": [],
                     *           "baseSha": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
                     *           "testBranchSha": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *           "createdAt": "2026-09-17T10:16:00.000Z",
                     *           "testingSince": "2026-09-17T10:16:02.000Z"
                     *         }
                     *       ],
                     *       "moreTestRuns": 0
                     *     }
                     */
                    "application/json": components["schemas"]["GetQueueAtAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listQueueChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "since": "2026-09-17T10:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ListQueueChangesRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changes": [
                     *         {
                     *           "timestamp": "2026-09-17T10:20:00.000Z",
                     *           "kind": "settings",
                     *           "sentence": "The queue was paused by ada.",
                     *           "actor": {
                     *             "kind": "api",
                     *             "name": "ada"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListQueueChangesAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ListQueuesRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queues": [
                     *         {
                     *           "mode": "single",
                     *           "concurrency": 5,
                     *           "bisectionConcurrency": 5,
                     *           "autoConcurrency": false,
                     *           "testingTimeoutMinutes": 300,
                     *           "pendingFailureDepth": 0,
                     *           "canOptimisticallyMerge": false,
                     *           "batch": false,
                     *           "batchingMaxWaitTimeMinutes": 5,
                     *           "batchingMinSize": 4,
                     *           "autoBatching": false,
                     *           "createPrsForTestingBranches": true,
                     *           "commentsEnabled": true,
                     *           "commandsEnabled": true,
                     *           "statusCheckEnabled": true,
                     *           "extensionEnabled": true,
                     *           "enqueueingLabel": "merge-queue-submit",
                     *           "labelCommandsEnabled": true,
                     *           "stateLabelsEnabled": false,
                     *           "notReadyTimeoutHours": 24,
                     *           "testBranchConstructionMode": "rename_temp_branch",
                     *           "allowedBotSubmitters": [],
                     *           "batchingRules": [],
                     *           "directMergeMode": "off",
                     *           "optimizationMode": "off",
                     *           "confirmBeforeFailing": false,
                     *           "trustForkTargets": false,
                     *           "mergeMethod": "squash",
                     *           "freezeUntil": null,
                     *           "freezeReason": null,
                     *           "freezeAllowsUrgent": false,
                     *           "publicRead": false,
                     *           "requiredStatuses": [
                     *             "build",
                     *             "test"
                     *           ],
                     *           "state": "running",
                     *           "stateReason": null,
                     *           "repo": {
                     *             "host": "github.com",
                     *             "owner": "acme",
                     *             "name": "widgets"
                     *           },
                     *           "branch": "main",
                     *           "activeConcurrency": 5,
                     *           "activeBatchSize": 4,
                     *           "activeMode": "single",
                     *           "cancelPending": false,
                     *           "requiredStatusesSource": "host",
                     *           "settingsVersion": 1,
                     *           "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *           "createdAt": "2026-09-17T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListQueuesAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "operation": "submitPullRequest",
                 *       "pr": {
                 *         "number": 41
                 *       },
                 *       "skipTheLine": true
                 *     }
                 */
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "refusal": null,
                     *       "started": [
                     *         {
                     *           "purpose": "test",
                     *           "prNumbers": [
                     *             41
                     *           ],
                     *           "testedOnTopOf": []
                     *         }
                     *       ],
                     *       "startedCount": 1,
                     *       "cancelled": [
                     *         {
                     *           "purpose": "test",
                     *           "prNumbers": [
                     *             40
                     *           ],
                     *           "testedOnTopOf": [],
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "cause": "interrupted",
                     *           "hadPassed": false,
                     *           "ciMinutes": 4.5
                     *         }
                     *       ],
                     *       "cancelledCount": 1,
                     *       "ciMinutesLost": 4.5,
                     *       "moves": [
                     *         {
                     *           "prNumber": 40,
                     *           "from": "testing",
                     *           "to": "pending",
                     *           "reason": "SKIP_THE_LINE_INTERRUPTED"
                     *         }
                     *       ],
                     *       "movesCount": 1,
                     *       "positions": [
                     *         {
                     *           "prNumber": 41,
                     *           "from": null,
                     *           "to": 1
                     *         },
                     *         {
                     *           "prNumber": 40,
                     *           "from": 1,
                     *           "to": 2
                     *         }
                     *       ],
                     *       "positionsCount": 2,
                     *       "merges": []
                     *     }
                     */
                    "application/json": components["schemas"]["PreviewAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMergeQueueTestingDetails: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20"
                 *     }
                 */
                "application/json": components["schemas"]["GetMergeQueueTestingDetailsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "purpose": "test",
                     *       "status": "in_progress",
                     *       "outcome": null,
                     *       "requiredStatuses": [
                     *         "build",
                     *         "test"
                     *       ],
                     *       "requiredStatusesSource": "repo_provider_branch_protection",
                     *       "testBranch": "refs/mq/candidates/c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "testBranchSha": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *       "baseSha": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
                     *       "createdAt": "2026-09-17T10:16:00.000Z",
                     *       "testingSince": "2026-09-17T10:16:02.000Z",
                     *       "deadlineAt": "2026-09-17T10:46:02.000Z",
                     *       "endedAt": null,
                     *       "closedBecause": null,
                     *       "checkSuites": [
                     *         {
                     *           "source": "ci",
                     *           "checkRuns": [
                     *             {
                     *               "name": "build",
                     *               "url": "https://ci.example/runs/7",
                     *               "status": "IN_PROGRESS",
                     *               "startedAt": "2026-09-17T10:16:05.000Z",
                     *               "completedAt": null,
                     *               "summary": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "statusChecks": [],
                     *       "failureCausingStatuses": [],
                     *       "testedPullRequests": [
                     *         {
                     *           "prNumber": 41,
                     *           "prUrl": "https://github.com/acme/widgets/pull/41",
                     *           "title": "Add a login page"
                     *         }
                     *       ],
                     *       "explanation": "Waiting for the check build.",
                     *       "dependentPrs": [],
                     *       "waitsOnPrs": [],
                     *       "runs": [
                     *         {
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "purpose": "test",
                     *           "status": "in_progress",
                     *           "outcome": null,
                     *           "requiredStatuses": [
                     *             "build",
                     *             "test"
                     *           ],
                     *           "requiredStatusesSource": "repo_provider_branch_protection",
                     *           "testBranch": "refs/mq/candidates/c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "testBranchSha": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *           "baseSha": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
                     *           "createdAt": "2026-09-17T10:16:00.000Z",
                     *           "testingSince": "2026-09-17T10:16:02.000Z",
                     *           "deadlineAt": "2026-09-17T10:46:02.000Z",
                     *           "endedAt": null,
                     *           "closedBecause": null,
                     *           "checkSuites": [
                     *             {
                     *               "source": "ci",
                     *               "checkRuns": [
                     *                 {
                     *                   "name": "build",
                     *                   "url": "https://ci.example/runs/7",
                     *                   "status": "IN_PROGRESS",
                     *                   "startedAt": "2026-09-17T10:16:05.000Z",
                     *                   "completedAt": null,
                     *                   "summary": null
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "statusChecks": [],
                     *           "failureCausingStatuses": [],
                     *           "testedPullRequests": [
                     *             {
                     *               "prNumber": 41,
                     *               "prUrl": "https://github.com/acme/widgets/pull/41",
                     *               "title": "Add a login page"
                     *             }
                     *           ],
                     *           "explanation": "Waiting for the check build.",
                     *           "dependentPrs": [],
                     *           "waitsOnPrs": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GetMergeQueueTestingDetailsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMergeQueueTestingResults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "since": "2026-09-16T00:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ListMergeQueueTestingResultsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "testingResults": [
                     *         {
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "isBisection": false,
                     *           "prNumber": 41,
                     *           "attempt": 1,
                     *           "outcome": "passed",
                     *           "cycleConclusion": "passed",
                     *           "startedAt": "2026-09-17T10:16:02.000Z",
                     *           "endedAt": "2026-09-17T10:20:10.000Z",
                     *           "testingDurationMs": 248000
                     *         }
                     *       ],
                     *       "totalItems": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ListMergeQueueTestingResultsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listExpectedChecks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "checks": [
                 *         "build"
                 *       ],
                 *       "waitSeconds": 30
                 *     }
                 */
                "application/json": components["schemas"]["ListExpectedChecksRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "expectedChecks": [
                     *         {
                     *           "repo": {
                     *             "host": "github.com",
                     *             "owner": "acme",
                     *             "name": "widgets"
                     *           },
                     *           "targetBranch": "main",
                     *           "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "ref": "refs/mq/candidates/c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *           "commit": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *           "check": "build",
                     *           "status": "queued",
                     *           "sequence": 0,
                     *           "reportedAt": null,
                     *           "askedAt": "2026-09-17T10:16:02.000Z",
                     *           "startBy": "2026-09-17T10:26:02.000Z",
                     *           "deadlineAt": "2026-09-17T10:46:02.000Z",
                     *           "reportToken": "good_for_this_check_alone"
                     *         }
                     *       ],
                     *       "reached": true
                     *     }
                     */
                    "application/json": components["schemas"]["ListExpectedChecksAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    reportCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                 *       "check": "build",
                 *       "status": "completed",
                 *       "conclusion": "success"
                 *     }
                 */
                "application/json": components["schemas"]["ReportCheckRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "testRunId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *       "check": "build",
                     *       "reporter": "jenkins",
                     *       "applied": true,
                     *       "status": "completed",
                     *       "conclusion": "success",
                     *       "sequence": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ReportCheckAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listReceipts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       },
                 *       "targetBranch": "main",
                 *       "take": 1
                 *     }
                 */
                "application/json": components["schemas"]["ListReceiptsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "receipts": [
                     *         {
                     *           "version": 1,
                     *           "queueId": "4f0c2a8e-6c1d-4a52-9a57-0a3f6d0b7c11",
                     *           "repo": {
                     *             "host": "github.com",
                     *             "owner": "acme",
                     *             "name": "widgets"
                     *           },
                     *           "branch": "main",
                     *           "number": 1,
                     *           "previous": null,
                     *           "pr": 41,
                     *           "attempt": 1,
                     *           "head": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4",
                     *           "reviewedTree": "77aa66bb55cc44dd33ee22ff11009988776655ff",
                     *           "submitted": {
                     *             "by": {
                     *               "kind": "api",
                     *               "name": "ada"
                     *             },
                     *             "at": 1789640140000,
                     *             "forced": false
                     *           },
                     *           "settingsVersion": 1,
                     *           "mergeMethod": "squash",
                     *           "required": {
                     *             "names": [
                     *               "build"
                     *             ],
                     *             "source": "repo_provider_branch_protection"
                     *           },
                     *           "tested": {
                     *             "runId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *             "base": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
                     *             "stack": [],
                     *             "batch": [
                     *               {
                     *                 "pr": 41,
                     *                 "attempt": 1,
                     *                 "head": "5d3f6c0b8f0a4f6ea9d2d1c3b7e8f9a0b1c2d3e4"
                     *               }
                     *             ],
                     *             "trial": {
                     *               "commit": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *               "tree": "77aa66bb55cc44dd33ee22ff11009988776655ff"
                     *             },
                     *             "step": {
                     *               "commit": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *               "tree": "77aa66bb55cc44dd33ee22ff11009988776655ff"
                     *             },
                     *             "checks": [
                     *               {
                     *                 "name": "build",
                     *                 "source": "ci",
                     *                 "id": "7",
                     *                 "runId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *                 "digest": null,
                     *                 "conclusion": "success",
                     *                 "startedAt": 1789640165000,
                     *                 "completedAt": 1789640400000,
                     *                 "url": "https://ci.example/runs/7"
                     *               }
                     *             ],
                     *             "checksReadAt": 1789640410000
                     *           },
                     *           "landed": {
                     *             "landingId": "0d9c7a55-8c3e-4b0d-8f58-5c7d2f4f9b10",
                     *             "runId": "c7a1d9f4-2f0e-4d61-8a6b-3b0e5f7a9d20",
                     *             "onto": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
                     *             "trial": {
                     *               "commit": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *               "tree": "77aa66bb55cc44dd33ee22ff11009988776655ff"
                     *             },
                     *             "step": {
                     *               "commit": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *               "tree": "77aa66bb55cc44dd33ee22ff11009988776655ff"
                     *             },
                     *             "commit": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567",
                     *             "tree": "77aa66bb55cc44dd33ee22ff11009988776655ff",
                     *             "head": "9a8b7c6d5e4f30211203a4b5c6d7e8f901234567"
                     *           },
                     *           "between": [],
                     *           "vouchedBy": [],
                     *           "at": 1789640412000,
                     *           "hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *         }
                     *       ],
                     *       "chain": {
                     *         "count": 1,
                     *         "hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListReceiptsAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    whoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["WhoamiRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *       "isBootstrap": false,
                     *       "name": "Jenkins",
                     *       "person": null,
                     *       "reporter": "jenkins",
                     *       "scopes": [
                     *         "checks"
                     *       ],
                     *       "repositories": [
                     *         {
                     *           "host": "github.com",
                     *           "owner": "acme",
                     *           "name": "widgets"
                     *         }
                     *       ],
                     *       "checks": [
                     *         "build"
                     *       ],
                     *       "expiresAt": "2027-09-17T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WhoamiAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Jenkins",
                 *       "scopes": [
                 *         "checks"
                 *       ],
                 *       "repositories": [
                 *         {
                 *           "host": "github.com",
                 *           "owner": "acme",
                 *           "name": "widgets"
                 *         }
                 *       ],
                 *       "checks": [
                 *         "build"
                 *       ],
                 *       "reporter": "jenkins"
                 *     }
                 */
                "application/json": components["schemas"]["CreateTokenRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *       "prefix": "mqt_4kQ9",
                     *       "state": "active",
                     *       "name": "Jenkins",
                     *       "person": null,
                     *       "reporter": "jenkins",
                     *       "scopes": [
                     *         "checks"
                     *       ],
                     *       "repositories": [
                     *         {
                     *           "host": "github.com",
                     *           "owner": "acme",
                     *           "name": "widgets"
                     *         }
                     *       ],
                     *       "checks": [
                     *         "build"
                     *       ],
                     *       "expiresAt": "2027-09-17T10:00:00.000Z",
                     *       "madeByTokenId": "bootstrap",
                     *       "createdAt": "2026-09-17T10:00:00.000Z",
                     *       "lastUsedAt": null,
                     *       "revoked": null,
                     *       "replacedByTokenId": null,
                     *       "token": "mqt_4kQ9_the_rest_is_shown_this_once"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                 *       "overlapSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateTokenRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *       "prefix": "mqt_4kQ9",
                     *       "state": "active",
                     *       "name": "Jenkins",
                     *       "person": null,
                     *       "reporter": "jenkins",
                     *       "scopes": [
                     *         "checks"
                     *       ],
                     *       "repositories": [
                     *         {
                     *           "host": "github.com",
                     *           "owner": "acme",
                     *           "name": "widgets"
                     *         }
                     *       ],
                     *       "checks": [
                     *         "build"
                     *       ],
                     *       "expiresAt": "2027-09-17T10:00:00.000Z",
                     *       "madeByTokenId": "bootstrap",
                     *       "createdAt": "2026-09-17T10:00:00.000Z",
                     *       "lastUsedAt": null,
                     *       "revoked": null,
                     *       "replacedByTokenId": null,
                     *       "token": "mqt_4kQ9_the_rest_is_shown_this_once"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "take": 1
                 *     }
                 */
                "application/json": components["schemas"]["ListTokensRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokens": [
                     *         {
                     *           "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *           "prefix": "mqt_4kQ9",
                     *           "state": "active",
                     *           "name": "Jenkins",
                     *           "person": null,
                     *           "reporter": "jenkins",
                     *           "scopes": [
                     *             "checks"
                     *           ],
                     *           "repositories": [
                     *             {
                     *               "host": "github.com",
                     *               "owner": "acme",
                     *               "name": "widgets"
                     *             }
                     *           ],
                     *           "checks": [
                     *             "build"
                     *           ],
                     *           "expiresAt": "2027-09-17T10:00:00.000Z",
                     *           "madeByTokenId": "bootstrap",
                     *           "createdAt": "2026-09-17T10:00:00.000Z",
                     *           "lastUsedAt": null,
                     *           "revoked": null,
                     *           "replacedByTokenId": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListTokensAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeTokenRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revokedTokenIds": [
                     *         "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RevokeTokenAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://ci.example.com/merge-queue",
                 *       "types": [
                 *         "pull_request.testing"
                 *       ],
                 *       "repo": {
                 *         "host": "github.com",
                 *         "owner": "acme",
                 *         "name": "widgets"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                     *       "url": "https://ci.example.com/merge-queue",
                     *       "description": "",
                     *       "format": "standard",
                     *       "types": [
                     *         "pull_request.testing"
                     *       ],
                     *       "repo": {
                     *         "host": "github.com",
                     *         "owner": "acme",
                     *         "name": "widgets"
                     *       },
                     *       "targetBranch": null,
                     *       "madeByTokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *       "createdAt": "2026-09-17T10:00:00.000Z",
                     *       "disabled": null,
                     *       "oldSecretsUntil": null,
                     *       "lastSuccessAt": null,
                     *       "failingSince": null,
                     *       "lastFailure": null,
                     *       "secret": "whsec_the_secret_is_shown_this_once"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "take": 1
                 *     }
                 */
                "application/json": components["schemas"]["ListTokensRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                     *           "url": "https://ci.example.com/merge-queue",
                     *           "description": "",
                     *           "format": "standard",
                     *           "types": [
                     *             "pull_request.testing"
                     *           ],
                     *           "repo": {
                     *             "host": "github.com",
                     *             "owner": "acme",
                     *             "name": "widgets"
                     *           },
                     *           "targetBranch": null,
                     *           "madeByTokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *           "createdAt": "2026-09-17T10:00:00.000Z",
                     *           "disabled": null,
                     *           "oldSecretsUntil": null,
                     *           "lastSuccessAt": null,
                     *           "failingSince": null,
                     *           "lastFailure": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListWebhooksAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                 *       "rotateSecret": true,
                 *       "overlapSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                     *       "url": "https://ci.example.com/merge-queue",
                     *       "description": "",
                     *       "format": "standard",
                     *       "types": [
                     *         "pull_request.testing"
                     *       ],
                     *       "repo": {
                     *         "host": "github.com",
                     *         "owner": "acme",
                     *         "name": "widgets"
                     *       },
                     *       "targetBranch": null,
                     *       "madeByTokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *       "createdAt": "2026-09-17T10:00:00.000Z",
                     *       "disabled": null,
                     *       "oldSecretsUntil": "2026-09-17T10:59:02.000Z",
                     *       "lastSuccessAt": null,
                     *       "failingSince": null,
                     *       "lastFailure": null,
                     *       "secret": "whsec_the_new_secret"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["DeleteQueueAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating the key with the same body returns the first answer, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryId": "msg_0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a"
                     *     }
                     */
                    "application/json": components["schemas"]["TestWebhookAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                 *       "states": [
                 *         "pending"
                 *       ],
                 *       "take": 1
                 *     }
                 */
                "application/json": components["schemas"]["ListDeliveriesRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "deliveryId": "msg_5f4e3d2c1b0a9f8e7d6c5b4a39281706",
                     *           "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                     *           "type": "pull_request.testing",
                     *           "queueId": "8d7c6b5a-4f3e-4d2c-9b1a-0f9e8d7c6b5a",
                     *           "sequence": 41,
                     *           "createdAt": "2026-09-17T10:16:02.000Z",
                     *           "state": "pending",
                     *           "nextTryAt": "2026-09-17T10:16:07.000Z",
                     *           "endedAt": null,
                     *           "tries": [
                     *             {
                     *               "at": "2026-09-17T10:16:02.000Z",
                     *               "tookMs": 84,
                     *               "status": 502,
                     *               "error": "It answered 502.",
                     *               "answer": null
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListDeliveriesAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhookId": "7c1d2e3f-4a5b-4c6d-8e7f-0a1b2c3d4e5f",
                 *       "since": "2026-09-17T10:00:00.000Z",
                 *       "states": [
                 *         "failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ReplayDeliveriesRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayedCount": 12
                     *     }
                     */
                    "application/json": components["schemas"]["ReplayDeliveriesAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["NotPossible"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    diagnose: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["DiagnoseRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "time": "2026-09-17T10:20:00.000Z",
                     *       "token": {
                     *         "tokenId": "2b4c6d8e-1f3a-4b5c-8d7e-9f0a1b2c3d4e",
                     *         "isBootstrap": false,
                     *         "name": "Jenkins",
                     *         "person": null,
                     *         "reporter": "jenkins",
                     *         "scopes": [
                     *           "checks"
                     *         ],
                     *         "repositories": [
                     *           {
                     *             "host": "github.com",
                     *             "owner": "acme",
                     *             "name": "widgets"
                     *           }
                     *         ],
                     *         "checks": [
                     *           "build"
                     *         ],
                     *         "expiresAt": "2027-09-17T10:00:00.000Z"
                     *       },
                     *       "findings": [
                     *         {
                     *           "code": "CHECK_NEVER_REPORTED",
                     *           "severity": "warning",
                     *           "subject": "acme/widgets main",
                     *           "sentence": "lint is required and was never reported.",
                     *           "remedy": "Compare the name with what the CI reports, and check that the CI tests the candidates of the queue."
                     *         }
                     *       ],
                     *       "queues": 3,
                     *       "isComplete": true
                     *     }
                     */
                    "application/json": components["schemas"]["DiagnoseAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBadge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the code host in the configuration of this service. */
                host: string;
                /** @description Owner or organisation; may contain slashes. */
                owner: string;
                /** @description Name of the repository. */
                name: string;
                /** @description The branch that the merge queue targets. */
                branch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The picture that the client has is current. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Repository as owner/name, together with repoHost. Default: all. */
                repo?: string;
                /** @description Host of the repository. */
                repoHost?: string;
                /** @description The branch that the merge queue targets. */
                targetBranch?: string;
                /** @description Only events of this pull request. Needs repo and targetBranch. */
                pr?: number;
                /** @description Only events of these types, separated by commas: pull_request.submitted, pull_request.queued, pull_request.testing, pull_request.tests_passed, pull_request.pending_failure, pull_request.not_ready, pull_request.merged, pull_request.failed, pull_request.canceled, pull_request_batch.testing, pull_request_batch.pending_failure, pull_request_batch.failed, pull_request_batch.merged, queue.changed, alarm. */
                types?: string;
                /** @description The id of the last received event. The header Last-Event-ID wins over it. */
                after?: string;
                /** @description Events are sent together, at most once in this time. Default: at once. */
                restMs?: number;
                /** @description A queue whose snapshot is sent too, as the event `queue_snapshot`: the answer of getQueueSnapshot, and after that what has changed, at most once per second. As owner/name, together with shownRepoHost and shownBranch. */
                shownRepo?: string;
                /** @description Host of its repository. */
                shownRepoHost?: string;
                /** @description Its target branch. */
                shownBranch?: string;
                /** @description The `version` of the snapshot that the client has. Default: the whole snapshot is sent first. */
                shownVersion?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. It ends when the service stops; clients then resume it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMergeQueueMetrics: {
        parameters: {
            query?: {
                /** @description Repository as owner/name, together with repoHost. Default: all. */
                repo?: string;
                /** @description Host of the repository. */
                repoHost?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Malformed or invalid; nothing was stored. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description Missing or invalid token. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description The token lacks the scope or the repository. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description No such repository, branch, queue, pull request or test run. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description The header Expect has an unknown value. */
            417: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description Too many requests; retry after Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description An unexpected error; the correlation id is in the log. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
            /** @description Temporarily unavailable; retry after Retry-After. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/plain-text": string;
                };
            };
        };
    };
}
