import type { AnyCommand } from './command.js';
import { cancel } from './commands/cancel.js';
import { completion } from './commands/completion.js';
import { doctor } from './commands/doctor.js';
import { history } from './commands/history.js';
import { log } from './commands/log.js';
import { login } from './commands/login.js';
import { logout } from './commands/logout.js';
import { prOpen } from './commands/pr/open.js';
import { prVerbs } from './commands/pr/verbs.js';
import { priority } from './commands/priority.js';
import { queueApply } from './commands/queue/apply.js';
import { queueCreate } from './commands/queue/create.js';
import { queueDelete } from './commands/queue/delete.js';
import { queueDrain } from './commands/queue/drain.js';
import { queueExport } from './commands/queue/export.js';
import { queueFreeze } from './commands/queue/freeze.js';
import { queueGet } from './commands/queue/get.js';
import { queueList } from './commands/queue/list.js';
import { queuePause } from './commands/queue/pause.js';
import { queueResume } from './commands/queue/resume.js';
import { queueSet } from './commands/queue/set.js';
import { receiptsVerify } from './commands/receipts-verify.js';
import { restart } from './commands/restart.js';
import { serverList } from './commands/server/list.js';
import { serverUse } from './commands/server/use.js';
import { status } from './commands/status.js';
import { submit } from './commands/submit.js';
import { targetsSet } from './commands/targets-set.js';
import { tokenCreate } from './commands/token/create.js';
import { tokenList } from './commands/token/list.js';
import { tokenRevoke } from './commands/token/revoke.js';
import { tokenRotate } from './commands/token/rotate.js';
import { wait } from './commands/wait.js';
import { watch } from './commands/watch.js';
import { webhookCreate } from './commands/webhook/create.js';
import { webhookDelete } from './commands/webhook/delete.js';
import { webhookList } from './commands/webhook/list.js';
import { webhookTest } from './commands/webhook/send-test.js';
import { webhookSet } from './commands/webhook/set.js';
import { whoami } from './commands/whoami.js';
import { why } from './commands/why.js';

/** Every command, in the order of the help and the reference. */
export const commands: readonly AnyCommand[] = [
  ...[status, why, log, history, watch, wait],
  ...[submit, cancel, restart, priority],
  ...[queueList, queueGet, queueCreate, queueSet, queuePause, queueResume, queueDrain, queueFreeze],
  ...[queueDelete, queueExport, queueApply],
  targetsSet,
  ...[prOpen, ...prVerbs],
  ...[receiptsVerify, doctor],
  ...[tokenCreate, tokenList, tokenRotate, tokenRevoke, whoami],
  ...[webhookCreate, webhookList, webhookSet, webhookTest, webhookDelete],
  ...[login, logout, serverList, serverUse],
  completion,
];
