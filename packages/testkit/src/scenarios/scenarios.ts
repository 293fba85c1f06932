import { groupA } from './group-a.js';
import { groupB } from './group-b.js';
import { groupC } from './group-c.js';
import { groupD } from './group-d.js';
import { groupE } from './group-e.js';
import { groupF } from './group-f.js';
import { groupG } from './group-g.js';
import { groupH } from './group-h.js';
import { groupI } from './group-i.js';
import { groupJ } from './group-j.js';
import { groupK } from './group-k.js';
import { groupL } from './group-l.js';
import { groupM } from './group-m.js';
import { groupN } from './group-n.js';
import { groupP } from './group-p.js';
import { groupQ } from './group-q.js';
import type { Scenario } from './scenario.js';

/** All written scenarios. */
export const scenarios: readonly Scenario[] = [
  ...groupA,
  ...groupB,
  ...groupC,
  ...groupD,
  ...groupE,
  ...groupF,
  ...groupG,
  ...groupH,
  ...groupI,
  ...groupJ,
  ...groupK,
  ...groupL,
  ...groupM,
  ...groupN,
  ...groupP,
  ...groupQ,
];
