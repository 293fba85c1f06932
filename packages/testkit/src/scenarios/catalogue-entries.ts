/**
 * Every conformance scenario, one a line: id, layers on which it is to hold, what it is about, and, after the last bar,
 * what the engine still lacks for it. Layers: U model, M memory store, P PostgreSQL store, R replicas, S simulated host
 * and CI, L local git host, H GitHub host, A HTTP API.
 */
export const entries = `
T-A01|UMPSLHA|a mergeable pull request is tested and lands once
T-A02|UMPA|submitting twice keeps one entry with one id
T-A04|UMPSA|another base branch keeps it not ready and nothing is built
T-A05|UMPA|targets that come later make it pending without another submit
T-A06|UMPA|a single-mode queue asks for no targets
T-A07|USH|an unknown mergeability is asked for again until it is known
T-A08|USH|a mergeability that stays unknown blocks nobody and ends with a reason
T-A09|USLH|a conflict with the base costs no test and touches nobody else
T-A10|USH|a draft waits and goes on when it is marked ready
T-A12|USHA|a closed pull request is refused
T-A14|MPA|a branch without a queue is refused and stores nothing
T-A15|USHA|a head that is no longer the host's is refused
T-A17|SH|a missing review or label is waited for
T-A19|UMP|a failed one that comes again gets a new attempt and new evidence
T-A21|UMPA|a paused queue takes submits and starts nothing
T-A23|USH|news about a pull request that nobody submitted make no entry
T-A24|USH|an edit of title or body restarts nothing and keeps the message
T-B01|UMPSL|three are tested on top of each other and land in order
T-B02|UMP|equals are taken in the order of their submits
T-B04|UMPS|a green follower waits for the one ahead
T-B06|UMPS|a failure in the middle rebuilds what is behind it and nothing before it
T-B09|UMP|queues do not hold each other up
T-B10|UMPSL|a landing as predicted restarts nothing
T-B11|USH|another tree on the target than predicted stops the queue
T-B12|UMP|never more runs than the concurrency
T-B14|UMP|a lower concurrency loses nothing
T-B15|UMPS|an urgent one goes first and keeps everybody's time of entry
T-B16|UMP|an urgent submit of the first in line restarts nothing
T-B17|UMP|a raised priority overtakes those who wait and nobody under test
T-B18|USL|one that is based on another's branch follows it after the landing
T-B19|US|one that is based on a failed one says why it waits
T-B20|USH|a refused landing has those behind it tested without it
T-B21|UMPSLH|a push to the target voids what was built before it
T-B23|UMPSL|a passing successor clears a failure within the depth
T-B24|UMP|without a depth the first in line fails at once
T-B25|UMPS|a failure within the depth is final when those behind end red
T-B26|UMP|cancelling one that is held as failing rebuilds those behind it
T-B27|UMP|a verdict of other heads is not used again
T-B28|US|declared dependencies do not exist|nothing: the interface declares no dependency
T-B29|USH|a landing that stops in the middle tells each member's truth
T-B30|UMP|two failures close together are told once each
T-B31|US|a rebuild is not told as a removal
T-C01|UMPSL|one culprit of four is found and the others land
T-C02|UMPS|halves that pass blame nobody
T-C03|UMPSL|two that only fail together blame the later one on top of the earlier
T-C04|UMP|bisection stops at its cap with a reason
T-C05|UMP|bisection has its own slots
T-C06|UMPS|a known verdict is not gathered twice
T-C08|USH|a failing machinery is retried and blames nobody
T-C09|US|a red base blames nobody
T-C10|UMP|a failure on a wrong guess is not charged
T-C11|UMPS|a failure behind a failure waits for the first one's verdict
T-C12|USH|a check that is not required decides nothing
T-C13|USH|the first final failure ends the run and stops the rest
T-C14|USH|a retry by the CI itself is waited for|a grace time for CI retries
T-C15|UMPS|a batch that runs out of time is split
T-C16|US|a late green after the failure changes nothing
T-D01|UMP|a small batch starts when the wait is over
T-D02|UMP|a full batch starts at once
T-D03|UMP|no batch is larger than its size
T-D04|USLH|one that conflicts inside a batch waits and the rest is tested
T-D05|USL|a batch of conflicts is tried one by one
T-D06|USH|a new head voids the batch
T-D07|USH|a closed member voids the batch
T-D08|UMPSA|a cancelled member leaves the other to be tested alone
T-D09|USLH|a batch lands in order by one move
T-D12|UMP|a batch holds nobody twice
T-D13|UMP|one that wants no batch is always alone
T-D14|UMP|nobody joins a batch under test
T-D15|PRS|a crash between forming and claiming strands nobody
T-D16|UMP|an older verdict of the same set counts only unchanged
T-D17|USH|a member merged meanwhile is not landed again
T-D18|PR|nobody sees half a batch
T-E01|UMPSL|disjoint targets are tested side by side
T-E03|UMP|overlapping targets are stacked
T-E04|UMPA|ALL overlaps everybody
T-E05|UMPS|one lane joins two
T-E06|UMPA|changed targets void the verdict
T-E07|UMPA|targets of an old head do not count
T-E08|UMPA|targets belong to the head that they came with
T-E10|UMPA|an empty list touches nothing
T-E11|UMPA|order and repeats of targets mean nothing
T-E12|UMPA|a fork's list never reduces its testing
T-E13|UMP|a failing lane restarts no other
T-E14|UMPA|a change of mode settles what runs first
T-F02|USH|a push to the first in line retests those behind without it
T-F03|UMP|a push restarts no other lane
T-F04|USH|a push that nobody told about is found before landing
T-F05|USH|a push at the last moment lands nothing
T-F07|USH|another base ends the attempt
T-F09|USH|close and reopen follow what the host shows, not the last event
T-F10|USH|a draft ends the attempt
T-F11|USH|a merge by hand is merged and never landed again
T-F13|USH|one that the host no longer knows leaves after a grace time
T-F14|USH|a withdrawn approval keeps it from landing
T-F15|USH|lost access is waited for, then ends it|permissions of a host
T-F16|SLH|a deleted source branch does not unpin the head
T-F18|UPS|merged wins over a stale read of closed
T-F19|USH|the queue's own push is not somebody's push|a host on which the queue pushes heads
T-G01|USH|three required checks pass and it is green
T-G02|USH|one of three fails and it fails
T-G04|UMPA|a name that nothing ever reported is warned about
T-G05|USH|a success of another commit is ignored
T-G06|USH|a late result of a former run counts only as a pass of the same tree
T-G07|UH|two sources of one name must both pass
T-G08|UH|the newest of several results of one name decides
T-G09|UH|skipped and neutral pass
T-G10|USH|a cancelled check is retried within the budget, then fails
T-G11|UH|an unknown conclusion is no success
T-G12|USH|no check at all is never a success
T-G13|UH|testing lasts until each required name has reported
T-G14|UH|completed then started means completed
T-G15|UPSH|a result found after the deadline is read before the deadline counts
T-G17|U|a success that came too fast is a failure|a minimum time of tests
T-G18|UH|only the named source counts|required names pinned to a source
T-G19|UH|the queue's own status is no input|a host on which the queue posts statuses
T-G20|UMPA|the names in force at landing decide
T-G21|H|all pages of checks are read|a host that pages
T-G22|H|a partial list gives no verdict|a host that pages
T-G23|UH|a run of another event is ignored where the rule says so|rules about sources
T-G24|USH|results after a cancel have no effect and the run is stopped
T-G25|UMPSH|a timeout stops the CI and rebuilds those behind
T-G27|UPS|a timeout needs no event
T-G28|USH|a CI that never starts is asked again, then is infrastructure
T-H01|USLH|a landing moves the target from the recorded base to the tested commit
T-H04|USH|a hold that appears while testing keeps it from landing
T-H05|SH|a host that wants to wait is asked again and nobody is ejected
T-H06|USH|a failed landing call that did nothing is repeated and lands once
T-H07|USH|a failed landing call that did land is read back as merged
T-H08|USH|a lost answer without effect is tried again
T-H09|USH|a base that moved under the landing is read again
T-H11|USLH|a change that the target holds already is merged without a commit
T-H12|USH|a failing clean-up leaves merged alone and is repeated
T-H13|USLH|a squash undoes nobody's lines
T-H14|USLH|each step of a squashed batch is its own tree
T-H15|SL|a squash that conflicts in the middle pushes nothing
T-H17|SL|a rebase drops what is empty or there already
T-H18|USH|a method that the repository forbids stops the queue and fails nobody
T-H19|USH|a host that rewrites what it lands stops the queue
T-H20|USLH|a target forced back stops what was built on it
T-H21|USLH|a deleted target is waited for with that reason
T-H22|USLH|an up-to-date green one lands without a test
T-H24|A|force without the scope is refused|force
T-H25|UMPA|force skips mergeability and nothing else
T-H27|USLH|skip markers and mentions in a title do no harm
T-H28|SH|a missing permission fails it with that cause
T-H30|SH|a refused push fails it with the host's words
T-H31|USH|a host that is slow to mark it merged does not hold merged back
T-H32|UMP|two green ones land one after another in order
T-I01|PRS|ten ticks at once build one candidate
T-I02|PRS|one event at two replicas has one effect
T-I04|PSL|a crash before the build builds once
T-I05|PA|a confirmed submit survives the crash
T-I06|PSLH|a crash after the build leaves one candidate
T-I07|PSLH|a crash after the landing does not land again
T-I08|PSH|a crash before the comment posts it once|comments
T-I09|PSH|a crash before the CI is stopped still stops it
T-I11|PS|a lost answer to a commit is applied once
T-I12|PR|conflicting writers all end
T-I13|MP|a stale version is refused
T-I15|MPR|a later wake-up is not swallowed
T-I16|MP|an input that always throws is set aside
T-I17|P|nothing stays in limbo
T-I18|PR|a stop in the middle leaves no half state
T-I19|PSL|every crash point converges
T-I20|PR|two versions side by side keep each other's rows
T-I21|P|old data is migrated
T-I22|MP|one trace gives one result on both stores
T-I23|PR|a dead worker's work is taken over
T-I26|MP|new settings restart nothing needlessly
T-J02|MPH|one fact told twice has one effect
T-J03|UMPS|the order of events does not matter
T-J05|UPSH|lost events of a run are made up for
T-J06|UPSH|a lost close is found
T-J07|USH|an event hours late does no harm
T-J08|AH|a wrong signature is refused|incoming webhooks
T-J09|AH|an unknown body is survived|incoming webhooks
T-J10|AH|another repository's event is ignored|incoming webhooks
T-J11|USH|a read that is behind is repeated
T-J12|AH|a delivery is answered at once|incoming webhooks
T-J13|PR|events of one pull request are handled one by one
T-J14|UH|the queue's own comment is ignored|comments
T-J17|MP|an unknown field does not erase a known one|a host that answers with gaps
T-J19|USH|a host that is down ejects nobody
T-J20|PAH|a flood of events is bounded|incoming webhooks
T-J21|USH|everything works without a single event
T-K01|H|a retry-after is honoured|a host with rate limits
T-K02|H|a limit without a header backs off|a host with rate limits
T-K03|H|one budget used up holds up nobody else|a host with rate limits
T-K05|SH|a burst of errors ejects nobody
T-K06|H|an expired token is renewed once|a host with tokens
T-K07|SH|a lost permission holds the queue
T-K08|SH|an error about one holds one
T-K09|SH|a repository that is gone holds only itself
T-K12|SH|a call that never ends is ended
T-K14|LH|odd branch names are carried right
T-K15|SH|a ref that is not visible yet is tried again
T-K16|SH|a merge that shows late is settled as merged
T-K17|SH|one repository's failures are its own
T-L01|UMPA|a paused queue starts and lands nothing, and goes on where it was
T-L02|UPSA|a landing under way at the pause is settled and nothing follows it
T-L03|UMPA|draining ends what is in a run and starts nothing
T-L04|MPA|a queue with entries is not deleted
T-L05|PRA|a delete and a submit race and one of them wins
T-L06|MPA|a second createQueue is refused
T-L08|A|illegal settings change nothing
T-L09|PRA|two updates at once have one order
T-L10|P|a pause survives a restart of the engine
T-M01|UMPA|one that waits is cancelled and never lands
T-M02|UMPSA|one under test is cancelled, its CI stopped, those behind rebuilt
T-M03|UPSA|a cancel during the landing is told the truth
T-M04|UMPS|every run of a cancelled one is stopped
T-M06|SH|a CI that cannot be stopped does not hold the cancel up
T-M08|UMPA|only what has a run can be restarted
T-M10|UMPA|skipTheLine goes ahead of those under test
T-M11|UMP|a low priority is not starved
T-M12|A|a priority that is none is refused
T-M13|PRA|a cancel and a submit race and leave one live attempt
T-N01|L|branch names that look like options are harmless
T-N02|L|nothing of the repository is run
T-N03|L|the environment of git has no effect
T-N04|L|a failing git is no conflict
T-N05|L|a conflict names its paths
T-N06|L|a damaged repository gives a clear error
T-N07|L|a head that is not there is not tried for ever
T-N09|L|unrelated histories are refused
T-N10|USL|a conflict with one that has landed fails, and only that
T-N11|L|the same inputs give the same commit
T-O01|USH|one failing notifier silences no other|notifiers
T-O02|PA|an endpoint that fails for a day is disabled|outgoing webhooks
T-O04|PA|a rotated secret overlaps|outgoing webhooks
T-O05|H|a long status is cut safely|statuses on the host
T-O06|H|the same status is not posted again|statuses on the host
T-O07|SH|switched-off comments and statuses are not made|comments
T-O09|SH|twenty bounces do not make twenty comments|comments
T-O10|A|odd labels give valid metrics
T-O11|A|the number of series is bounded
T-O12|A|metrics refuse what they cannot answer
T-P01|A|a bad token is refused everywhere alike
T-P02|A|a token sees its own repositories only|tokens with scopes
T-P03|A|a reading token writes nothing|tokens with scopes
T-P04|A|bodies are bounded
T-P05|A|odd content types do not skip validation
T-P06|A|hostile JSON is harmless
T-P07|A|unknown fields are ignored
T-P08|A|slow clients are ended
T-P09|A|malformed requests are refused
T-P12|A|outgoing calls go to checked addresses|outgoing webhooks
T-P13|PAH|no secret is ever shown
T-P14|PA|powerful commands are on record
T-P15|PA|a store that is down is told
T-Q01|UMPS|a thousand run to the end|a harness in which a thousand take seconds; the benches decide among 1,000 and 10,000
T-Q02|UPS|fifty with random fates have the expected ones
T-Q03|US|flaky tests fail no innocent
T-Q04|UPS|after the faults everything comes to rest
T-Q05|UPS|everything under test has a run with a deadline at any moment
T-Q06|UPS|one seed gives one trace|nothing on PostgreSQL: nobody promises the order of answers that come at one time, and T-I22 compares the stores step by step
T-Q08|US|a slow CI still lands something
`;
