import { environmentVariables } from './config.js';

/** What else of this name is set for other programs of this project. */
const ofOthers: ReadonlySet<string> = new Set(['MQ_URL', 'MQ_TEST_DATABASE_URL']);
/** What Kubernetes sets for each Service of the namespace, such as MQ_SERVICE_HOST and MQ_PORT_8787_TCP_ADDR for one named mq. */
const ofKubernetes = /_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** The variables that look like ones of the server and are none: each is passed over. By name, without their values. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('MQ_') && !Object.hasOwn(environmentVariables, name))
    .filter((name) => !ofOthers.has(name) && !ofKubernetes.test(name))
    .sort();
