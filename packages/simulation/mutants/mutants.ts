import type { Mutant } from '../src/bundle.js';
import { aroundTheRules } from './around-the-rules.js';
import { confusions } from './confusions.js';
import { drafts } from './drafts.js';
import { edgeCases } from './edge-cases.js';
import { everyMode } from './every-mode.js';
import { hostCommands } from './host-commands.js';
import { identity } from './identity.js';
import { line } from './line.js';
import { lostCommits } from './lost-commits.js';
import { presence } from './presence.js';
import { ruleByRule } from './rule-by-rule.js';
import { singleMode } from './single-mode.js';
import { views } from './views.js';
import { waiting } from './waiting.js';

export const mutants: readonly Mutant[] = [
  ...singleMode,
  ...everyMode,
  ...ruleByRule,
  ...lostCommits,
  ...waiting,
  ...confusions,
  ...aroundTheRules,
  ...hostCommands,
  ...line,
  ...edgeCases,
  ...views,
  ...presence,
  ...drafts,
  ...identity,
];
