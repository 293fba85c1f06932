import { environmentVariables } from './config.js';

/** Variables of other programs of this project. */
const ofOthers: ReadonlySet<string> = new Set(['MQ_URL', 'MQ_TEST_DATABASE_URL']);
/** Variables that Kubernetes sets for a Service named mq, such as MQ_SERVICE_HOST and MQ_PORT_8787_TCP_ADDR. */
const ofKubernetes = /_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Names of variables that look like settings of the server but are unknown, and ignored. Without values. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('MQ_') && !Object.hasOwn(environmentVariables, name))
    .filter((name) => !ofOthers.has(name) && !ofKubernetes.test(name))
    .sort();
