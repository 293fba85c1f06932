import type { Mutant } from '../src/bundle.js';
import { alike } from './alike.js';
import { aroundTheRules } from './around-the-rules.js';
import { everyMode } from './every-mode.js';
import { hostCommands } from './host-commands.js';
import { inLine } from './in-line.js';
import { lostCommits } from './lost-commits.js';
import { nets } from './nets.js';
import { presence } from './presence.js';
import { ruleByRule } from './rule-by-rule.js';
import { shown } from './shown.js';
import { singleMode } from './single-mode.js';
import { turns } from './turns.js';

export const mutants: readonly Mutant[] = [
  ...singleMode,
  ...everyMode,
  ...ruleByRule,
  ...lostCommits,
  ...turns,
  ...alike,
  ...aroundTheRules,
  ...hostCommands,
  ...inLine,
  ...nets,
  ...shown,
  ...presence,
];
