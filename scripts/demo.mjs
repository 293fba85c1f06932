import { main } from './machine.mjs';
import { runServer } from './server.mjs';

main(() => runServer('demo.js', 'npm run demo'));
