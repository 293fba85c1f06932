import { main } from './machine.mjs';
import { runServer } from './server.mjs';

main(() => runServer('main.js', 'npm start'));
