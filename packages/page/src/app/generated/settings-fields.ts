// Made by `npm run generate` from docs/reference/openapi.json; do not edit it by hand.

/** The settings of a queue, in the order of the reference. */
export const settingsFields = [
  {
    "name": "mode",
    "kind": "choice",
    "description": "`single`: one line of pull requests. `parallel`: lanes by impacted targets.",
    "choices": [
      "single",
      "parallel"
    ]
  },
  {
    "name": "concurrency",
    "kind": "integer",
    "description": "Test runs at once.",
    "minimum": 1,
    "maximum": 1000,
    "isNullable": false
  },
  {
    "name": "bisectionConcurrency",
    "kind": "integer",
    "description": "Test runs at once while a failed batch is bisected. Default in createQueue: the value of `concurrency`. null: follows `concurrency` from now on.",
    "minimum": 1,
    "maximum": 1000,
    "isNullable": true
  },
  {
    "name": "autoConcurrency",
    "kind": "boolean",
    "description": "Whether the queue sets how many test runs are made at once, by how often they fail: at most `concurrency`, answered as `activeConcurrency`."
  },
  {
    "name": "testingTimeoutMinutes",
    "kind": "integer",
    "description": "Minutes that a test run may take, also one that has started already. 0: no timeout.",
    "minimum": 0,
    "maximum": 10080,
    "isNullable": false
  },
  {
    "name": "pendingFailureDepth",
    "kind": "integer",
    "description": "After a failure, how many pull requests behind it may still prove it wrong: their test runs end before it is judged.",
    "minimum": 0,
    "maximum": 1000,
    "isNullable": false
  },
  {
    "name": "canOptimisticallyMerge",
    "kind": "boolean",
    "description": "Whether a test run that passes counts for every pull request that it was stacked on."
  },
  {
    "name": "batch",
    "kind": "boolean",
    "description": "Whether pull requests are tested in batches."
  },
  {
    "name": "batchingMaxWaitTimeMinutes",
    "kind": "integer",
    "description": "Minutes after which a batch starts that is not full.",
    "minimum": 1,
    "maximum": 10080,
    "isNullable": false
  },
  {
    "name": "batchingMinSize",
    "kind": "integer",
    "description": "Size at which a batch starts at once, and the largest it can have.",
    "minimum": 1,
    "maximum": 1000,
    "isNullable": false
  },
  {
    "name": "autoBatching",
    "kind": "boolean",
    "description": "Whether the queue sets the size of its batches, by how many pull requests fail: at most `batchingMinSize`, answered as `activeBatchSize`."
  },
  {
    "name": "createPrsForTestingBranches",
    "kind": "boolean",
    "description": "Whether test branches get a draft pull request, where the code host can have one."
  },
  {
    "name": "commentsEnabled",
    "kind": "boolean",
    "description": "Whether the queue comments on pull requests."
  },
  {
    "name": "commandsEnabled",
    "kind": "boolean",
    "description": "Whether the queue takes commands from comments."
  },
  {
    "name": "statusCheckEnabled",
    "kind": "boolean",
    "description": "Whether the queue reports a check of its own on pull requests."
  },
  {
    "name": "extensionEnabled",
    "kind": "boolean",
    "description": "Whether browser extensions may offer the queue."
  },
  {
    "name": "enqueueingLabel",
    "kind": "text",
    "description": "The label that submits a pull request."
  },
  {
    "name": "labelCommandsEnabled",
    "kind": "boolean",
    "description": "Whether that label submits pull requests."
  },
  {
    "name": "stateLabelsEnabled",
    "kind": "boolean",
    "description": "Whether the queue labels pull requests with their state."
  },
  {
    "name": "notReadyTimeoutHours",
    "kind": "integer",
    "description": "Hours after which a pull request is cancelled that never became ready, or is not ready any more. 0: never.",
    "minimum": 0,
    "maximum": 720,
    "isNullable": false
  },
  {
    "name": "testBranchConstructionMode",
    "kind": "choice",
    "description": "How a test branch gets its name, where the code host builds it on a branch.",
    "choices": [
      "rename_temp_branch",
      "push_new_branch_from_temp"
    ]
  },
  {
    "name": "allowedBotSubmitters",
    "kind": "names",
    "description": "Bots that may submit pull requests."
  },
  {
    "name": "batchingRules",
    "kind": "rules",
    "description": "Pull requests whose targets match a pattern (exact, or with one * at its end) are tested alone: `{targetPattern, policy: \"isolate\"}`."
  },
  {
    "name": "directMergeMode",
    "kind": "choice",
    "description": "`always`: a pull request that is first in line and up to date with the target branch may merge on its own checks, without a test run.",
    "choices": [
      "off",
      "always"
    ]
  },
  {
    "name": "optimizationMode",
    "kind": "choice",
    "description": "`bisection_skip_redundant_tests`: a bisection skips tests whose result follows from others.",
    "choices": [
      "off",
      "bisection_skip_redundant_tests"
    ]
  },
  {
    "name": "confirmBeforeFailing",
    "kind": "boolean",
    "description": "Whether a culprit is tested once more before it is failed."
  },
  {
    "name": "trustForkTargets",
    "kind": "boolean",
    "description": "Whether impacted targets that a fork computed count like trusted ones."
  },
  {
    "name": "mergeMethod",
    "kind": "choice",
    "description": "How a pull request becomes a commit of the target branch.",
    "choices": [
      "merge_commit",
      "squash",
      "rebase"
    ]
  },
  {
    "name": "freezeAllowsUrgent",
    "kind": "boolean",
    "description": "Whether urgent pull requests start and merge during a freeze: on the target branch and other urgent ones only."
  },
  {
    "name": "publicRead",
    "kind": "boolean",
    "description": "Whether anyone can read the queue without a token: what its page shows, its statistics, its past, its events and its badge."
  },
  {
    "name": "requiredStatuses",
    "kind": "names",
    "description": "Checks that must pass. null: those that the branch rules of the code host require. `[]`: no check is needed; it must come with `allowNoRequiredStatuses: true`. A list equal to the one in force changes nothing."
  }
] as const;
