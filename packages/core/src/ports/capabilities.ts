import type { CodeHost } from './code-host.js';

/** What a code host may offer beyond what every queue needs, each with what it means for people. */
export const hostCapabilities = {
  startsChecks:
    'The queue starts the checks of a candidate. If not, a CI starts them when the candidate appears.',
  cancelsChecks: 'The queue stops checks that are not needed any more.',
  events: 'The host says what changed, so that the queue reads it at once. If not, it polls.',
  presence: 'Pull requests show the queue: a comment, a status and labels.',
  commands: 'People command the queue by comments and by a label.',
  drafts: 'Candidates get a draft pull request, for a CI that tests pull requests.',
  ignoresCase:
    'Owners and names of repositories mean the same in any letter case. If not, names that differ in letter case are different repositories.',
  force: '`forceEnqueued` is taken: the queue may land past rules that the host has for people.',
} as const;

export type HostCapability = keyof typeof hostCapabilities;
export type HostCapabilities = Readonly<Record<HostCapability, boolean>>;

/** What a host offers, by the parts of the port that it has. */
export const capabilitiesOf = (host: CodeHost): HostCapabilities => ({
  startsChecks: host.startChecks !== undefined,
  cancelsChecks: host.cancelChecks !== undefined,
  events: host.onEvent !== undefined,
  presence: host.presence !== undefined,
  commands: host.commands !== undefined,
  drafts: host.openDraft !== undefined,
  ignoresCase: host.ignoresCase === true,
  force: host.canForce !== false,
});
