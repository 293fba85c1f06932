import { runBuilt } from './built.mjs';
import { main } from './machine.mjs';

main(() => runBuilt('packages/server/dist/main.js', 'npm start'));
