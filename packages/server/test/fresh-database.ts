import { Client } from 'pg';

let databases = 0;

/** The URL of a new, empty database of the server that is given. */
export const freshDatabase = async (serverUrl: string): Promise<URL> => {
  databases += 1;
  const name = `mq_server_${process.pid}_${databases}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = name;
  return url;
};
