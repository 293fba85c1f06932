import { type Asked, read } from './readers.js';
import { type Role, serve } from './service.js';

const [what = '', first = '', second = ''] = process.argv.slice(2);
if (what === 'readers') await read(JSON.parse(first) as Asked);
else await serve(what as Role, first, Number(second));
