/**
 * All conformance scenarios, one per line: id, layers on which it must hold, title and, after the last bar, what the engine
 * still lacks for it. Layers: U model, M memory store, P PostgreSQL store, R replicas, S simulated host and CI, L local git
 * host, H GitHub host, A HTTP API.
 */
export const entries = `
T-A01|UMPSLHA|a mergeable pull request is tested and lands once
T-A02|UMPA|submitting twice keeps one submission with one id
T-A04|UMPSA|a pull request with another base branch is not ready and builds no candidate
T-A05|UMPA|impacted targets that arrive later make a pull request pending without another submit
T-A06|UMPA|a single-mode queue requires no impacted targets
T-A07|USH|an unknown mergeability is polled until it is known
T-A08|USH|a mergeability that stays unknown blocks no other pull request and times out with a reason
T-A09|USLH|a conflict with the base costs no test run and affects no other pull request
T-A10|USH|a draft waits and is tested once it is marked ready
T-A12|USHA|a closed pull request is refused
T-A14|MPA|a branch without a queue is refused and stores nothing
T-A15|USHA|a head that is no longer the pull request's head is refused
T-A17|SH|a missing review or label keeps a pull request not ready
T-A19|UMP|a failed pull request that is submitted again gets a new attempt and a new test run
T-A21|UMPA|a paused queue accepts submits and starts no test run
T-A23|USH|events of a pull request that was never submitted create no submission
T-A24|USH|an edit of title or body restarts no test run and keeps the commit message
T-B01|UMPSL|three pull requests are tested on top of each other and land in order
T-B02|UMP|pull requests of equal priority are tested in the order of their submits
T-B04|UMPS|a pull request that has passed waits for the one ahead to land
T-B06|UMPS|a failure in the middle rebuilds what is behind it and nothing ahead of it
T-B09|UMP|queues do not delay each other
T-B10|UMPSL|a landing in the predicted order restarts no test run
T-B11|USH|a tree on the target that differs from the tested one pauses the queue
T-B12|UMP|open test runs never exceed the concurrency
T-B14|UMP|lowering the concurrency cancels no open test run
T-B15|UMPS|an urgent pull request goes first and keeps the submit time of all
T-B16|UMP|an urgent submit of the first in line restarts no test run
T-B17|UMP|a raised priority overtakes pull requests that wait, but none under test
T-B18|USL|a pull request based on another's branch is tested after that one has landed
T-B19|US|a pull request based on a failed one explains why it waits
T-B20|USH|pull requests behind a refused landing are tested without it
T-B21|UMPSLH|a push to the target cancels candidates built before it
T-B23|UMPSL|a later pull request that passes within the depth clears a pending failure
T-B24|UMP|without a pending-failure depth the first in line fails at once
T-B25|UMPS|a pending failure is final when all test runs within the depth have failed
T-B26|UMP|cancelling a pull request with a pending failure rebuilds those behind it
T-B27|UMP|a verdict of other heads is not reused
T-B28|US|declared dependencies between pull requests do not exist|nothing: the API declares no dependency
T-B29|USH|a landing that stops in the middle reports the real state of each member
T-B30|UMP|two failures in quick succession each requeue the others once
T-B31|US|a rebuild is not reported as a removal from the queue
T-C01|UMPSL|bisection finds the one culprit of four, and the others land
T-C02|UMPS|a failed batch whose halves pass fails no pull request
T-C03|UMPSL|of two pull requests that fail only together, the later one is the culprit
T-C04|UMP|bisection stops at its run limit with a reason
T-C05|UMP|bisection has its own slots
T-C06|UMPS|bisection reuses a known verdict
T-C08|USH|infrastructure failures are retried and blame no change
T-C09|US|a red base fails no pull request
T-C10|UMP|a failure on top of an undecided pull request is not final
T-C11|UMPS|a failure behind a failure waits for the verdict of the first
T-C12|USH|a check that is not required has no effect
T-C13|USH|the first final failure ends the test run and cancels its other checks
T-C14|USH|a retry by the CI itself is waited for|a grace period for retries by the CI
T-C15|UMPS|a batch that times out is bisected
T-C16|US|a late success after the failure changes nothing
T-D01|UMP|an incomplete batch starts when its maximum wait is over
T-D02|UMP|a full batch starts at once
T-D03|UMP|no batch is larger than its size limit
T-D04|USLH|a pull request that conflicts within its batch waits, and the rest is tested
T-D05|USL|pull requests that all conflict with each other are tested one by one
T-D06|USH|a push to one member rebuilds the batch without it
T-D07|USH|closing one member rebuilds the batch without it
T-D08|UMPSA|after one of two members is cancelled the other is tested alone
T-D09|USLH|a batch lands in order with one move of the target
T-D12|UMP|a batch contains each pull request once
T-D13|UMP|a pull request submitted with noBatch is always tested alone
T-D14|UMP|no pull request joins a batch that is under test
T-D15|PRS|a crash while a batch is built leaves no pull request stuck
T-D16|UMP|a verdict of an earlier batch counts only if its heads are unchanged
T-D17|USH|a member that was merged by hand meanwhile is not landed again
T-D18|PR|no reader sees half a batch
T-E01|UMPSL|pull requests with disjoint targets are tested in parallel
T-E03|UMP|pull requests with overlapping targets are stacked
T-E04|UMPA|ALL overlaps with every pull request
T-E05|UMPS|a pull request that overlaps two lanes joins them
T-E06|UMPA|a change of impacted targets makes the verdict stale
T-E07|UMPA|impacted targets of an old head do not count
T-E08|UMPA|impacted targets count only for the head that they were uploaded for
T-E10|UMPA|a pull request with an empty list of targets overlaps with none
T-E11|UMPA|order and duplicates of impacted targets do not matter
T-E12|UMPA|a list from a fork never reduces testing
T-E13|UMP|a failure in one lane restarts no test run of another
T-E14|UMPA|a change of mode waits for open test runs to end
T-F02|USH|a push to the first in line retests those behind without it
T-F03|UMP|a push restarts no test run of another lane
T-F04|USH|a push without an event is found before landing
T-F05|USH|a push in the moment of landing keeps the landing from happening
T-F07|USH|changing the base branch ends the attempt
T-F09|USH|after close and reopen the state that the host shows counts, not the last event
T-F10|USH|converting to a draft ends the attempt
T-F11|USH|a pull request merged by hand is shown as merged and never landed again
T-F13|USH|a pull request that the host no longer knows is cancelled after a grace period
T-F14|USH|a withdrawn approval keeps a pull request from landing
T-F15|USH|lost access is waited for, then ends the attempt|permissions of a host
T-F16|SLH|a deleted head branch does not change the tested head
T-F18|UPS|merged overrides a stale read of closed
T-F19|USH|the queue's own push is not treated as a push by a user|a host on which the queue pushes heads
T-G01|USH|a pull request passes when its three required checks have passed
T-G02|USH|a pull request fails when one of three required checks fails
T-G04|UMPA|a required check that was never reported causes a warning
T-G05|USH|a success on another commit is ignored
T-G06|USH|a late result of an earlier test run counts only as a pass of the same tree
T-G07|UH|two sources of one check name must both pass
T-G08|UH|the newest of several results of one check decides
T-G09|UH|skipped and neutral count as passed
T-G10|USH|a cancelled check is retried within the budget, then fails
T-G11|UH|an unknown conclusion does not count as passed
T-G12|USH|a test run without any check never passes
T-G13|UH|testing lasts until every required check has reported
T-G14|UH|a check reported as completed, then as started, counts as completed
T-G15|UPSH|results are read before an expired deadline is applied
T-G17|U|a success that is too fast counts as a failure|a minimum duration of tests
T-G18|UH|only the named source counts|required checks pinned to a source
T-G19|UH|the queue's own status is not an input|a host on which the queue posts statuses
T-G20|UMPA|the checks required at landing time decide
T-G21|H|all pages of checks are read|a host with pages
T-G22|H|an incomplete list of checks gives no verdict|a host with pages
T-G23|UH|a check run by another event is ignored if a rule says so|rules about sources
T-G24|USH|results after a cancel have no effect, and the checks are cancelled
T-G25|UMPSH|a timeout cancels the checks and rebuilds those behind
T-G27|UPS|a timeout needs no event
T-G28|USH|checks that never start are requested again, then count as an infrastructure failure
T-H01|USLH|a landing moves the target from the tested base to the tested commit
T-H04|USH|a hold that begins during testing keeps a pull request from landing
T-H05|SH|a landing that the host delays is retried and fails no pull request
T-H06|USH|a failed landing call that had no effect is repeated and lands once
T-H07|USH|a failed landing call that did land is recognised as merged
T-H08|USH|a landing call that was lost with a crash is repeated
T-H09|USH|a base that moved during the landing is read again
T-H11|USLH|a change that the target already has is merged without a commit
T-H12|USH|a failed cleanup does not affect merged and is repeated
T-H13|USLH|a squash reverts no lines of others
T-H14|USLH|each step of a squashed batch has its own tree
T-H15|SL|a squash that conflicts in the middle pushes nothing
T-H17|SL|a rebase drops commits that are empty or already on the target
T-H18|USH|a merge method that the repository forbids pauses the queue and fails no pull request
T-H19|USH|a host that rewrites what it lands causes the queue to pause
T-H20|USLH|a target that was force-pushed back cancels what was built on it
T-H21|USLH|a deleted target is waited for, with that reason
T-H22|USLH|an up-to-date pull request whose own checks passed lands without a test run
T-H24|A|forcing without the scope is refused|force
T-H25|UMPA|forcing skips mergeability and nothing else
T-H27|USLH|skip markers and mentions in a title are made harmless
T-H28|SH|a missing permission fails the pull request with that reason
T-H30|SH|a refused push fails the pull request with the host's message
T-H31|USH|a host that is slow to show the merge does not delay the state merged
T-H32|UMP|two pull requests that have passed land one after another in order
T-I01|PRS|ten concurrent engines build one candidate
T-I02|PRS|one event at two replicas has one effect
T-I04|PSL|after a crash before the build the candidate is built once
T-I05|PA|an accepted submit survives a crash
T-I06|PSLH|a crash after the build leaves one candidate
T-I07|PSLH|a crash after the landing does not land again
T-I08|PSH|a crash before the comment posts it once|comments
T-I09|PSH|after a crash the checks of a cancelled pull request are still cancelled
T-I11|PS|a commit whose answer was lost is applied once
T-I12|PR|conflicting writers all finish
T-I13|MP|a commit at a stale version is refused
T-I15|MPR|a wake-up during a decision is not lost
T-I16|MP|an input that always throws is set aside with an alarm
T-I17|P|no pull request stays stuck without a deadline
T-I18|PR|a stop in the middle leaves no partial state
T-I19|PSL|every crash point converges
T-I20|PR|two versions side by side keep each other's rows
T-I21|P|old data is migrated
T-I22|MP|the same trace gives the same result on both stores
T-I23|PR|the work of a dead worker is taken over
T-I26|MP|new settings restart no test run without need
T-J02|MPH|the same fact reported twice has one effect
T-J03|UMPS|the order of events does not matter
T-J05|UPSH|lost events of a test run are recovered by polling
T-J06|UPSH|a lost close event is found by polling
T-J07|USH|an event that is hours late does no harm
T-J08|AH|a webhook with a wrong signature is refused|incoming webhooks
T-J09|AH|a webhook with an unknown body does no harm|incoming webhooks
T-J10|AH|a webhook of another repository is ignored|incoming webhooks
T-J11|USH|a stale read is repeated
T-J12|AH|a webhook is answered at once|incoming webhooks
T-J13|PR|events of one pull request are processed one by one
T-J14|UH|the queue's own comment is ignored|comments
T-J17|MP|an unknown field does not erase a known one|a host with incomplete answers
T-J19|USH|a host that is down fails no pull request
T-J20|PAH|a flood of events is bounded|incoming webhooks
T-J21|USH|everything works without any event
T-K01|H|a retry-after header is respected|a host with rate limits
T-K02|H|a rate limit without a header backs off|a host with rate limits
T-K03|H|one exhausted budget delays no other|a host with rate limits
T-K05|SH|a burst of host errors fails no pull request
T-K06|H|an expired token is renewed once|a host with tokens
T-K07|SH|a lost permission pauses the queue
T-K08|SH|a refusal about one pull request holds only that one
T-K09|SH|a repository that was deleted affects only its own queues
T-K12|SH|a host call that never ends times out
T-K14|LH|unusual branch names are handled correctly
T-K15|SH|a ref that is not visible yet is retried
T-K16|SH|a merge that the host shows late is settled as merged
T-K17|SH|failures of one repository do not affect others
T-L01|UMPA|a paused queue starts and lands nothing, and resumes where it was
T-L02|UPSA|a landing in progress when the queue is paused is completed, and nothing lands after it
T-L03|UMPA|a draining queue finishes open test runs and starts no new ones
T-L04|MPA|a queue with live pull requests cannot be deleted
T-L05|PRA|one of a concurrent delete and submit wins
T-L06|MPA|a second createQueue is refused
T-L08|A|invalid settings change nothing
T-L09|PRA|two concurrent updates are applied one after the other
T-L10|P|a pause survives a restart of the engine
T-M01|UMPA|a pull request cancelled while it waits never lands
T-M02|UMPSA|cancelling a pull request under test cancels its checks and rebuilds those behind
T-M03|UPSA|a cancel during the landing reports what really happened
T-M04|UMPS|cancelling a pull request cancels all its test runs
T-M06|SH|a CI that cannot cancel checks does not delay the cancel
T-M08|UMPA|only a pull request with a test run can be restarted
T-M10|UMPA|skipTheLine goes ahead of pull requests under test
T-M11|UMP|a low priority does not starve
T-M12|A|an invalid priority is refused
T-M13|PRA|a concurrent cancel and submit leave at most one live attempt
T-N01|L|branch names that look like options are harmless
T-N02|L|nothing of the repository is executed
T-N03|L|the git environment has no effect
T-N04|L|a git failure is not reported as a conflict
T-N05|L|a conflict names its paths
T-N06|L|a damaged repository causes a clear error
T-N07|L|a head that does not exist is not retried forever
T-N09|L|unrelated histories are refused
T-N10|USL|only the pull request that conflicts with a landed one fails
T-N11|L|the same inputs give the same commit
T-O01|USHA|a failing notifier does not block others
T-O02|PA|a webhook without a success for five days is disabled
T-O04|PA|old and new secret overlap during rotation
T-O05|H|a long status text is truncated safely|statuses on the host
T-O06|H|an unchanged status is not posted again|statuses on the host
T-O07|SH|disabled comments and statuses are not posted|comments
T-O09|SH|twenty requeues do not post twenty comments|comments
T-O10|A|unusual labels give valid metrics
T-O11|A|the number of series is bounded
T-O12|A|metrics requests with invalid parameters are refused
T-P01|A|a bad token is refused in the same way by every operation
T-P02|A|a token sees only its own repositories|tokens with scopes
T-P03|A|a read-only token cannot write|tokens with scopes
T-P04|A|request bodies are bounded
T-P05|A|unusual content types do not skip validation
T-P06|A|hostile JSON is harmless
T-P07|A|unknown fields are ignored
T-P08|A|slow clients are disconnected
T-P09|A|malformed requests are refused
T-P12|A|outgoing calls go only to checked addresses
T-P13|PAH|no secret is ever shown
T-P14|PA|privileged commands are recorded in the history
T-P15|PA|an unreachable store is reported
T-Q01|UMPS|a thousand pull requests are processed to the end|a harness in which a thousand take seconds; the benches decide among 1,000 and 10,000
T-Q02|UPS|fifty pull requests with random outcomes end as expected
T-Q03|US|flaky checks fail no pull request
T-Q04|UPS|after all faults are over the queue comes to rest
T-Q05|UPS|every pull request under test always has a test run with a deadline
T-Q06|UPS|the same seed gives the same trace|nothing on PostgreSQL: the order of concurrent answers is undefined, and T-I22 compares the stores step by step
T-Q08|US|with a slow CI pull requests still land
`;
