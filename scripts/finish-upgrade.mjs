import { main } from './machine.mjs';
import { runServer } from './server.mjs';

main(() => runServer('finish-upgrade.js', 'npm run finish-upgrade'));
