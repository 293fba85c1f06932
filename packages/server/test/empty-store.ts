import { openPGlite, postgresStore } from '@mq/store-postgres';

// Makes a PGlite database with its tables and without a row, in the folder of its argument.
const store = await postgresStore({ database: await openPGlite({ folder: process.argv[2] ?? '' }) });
await store.close();
