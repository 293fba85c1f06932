import { type Asked, read } from './readers.js';
import { serve } from './service.js';

const [role = '', asked = ''] = process.argv.slice(2);
if (role === 'service') await serve(Number(asked));
else await read(JSON.parse(asked) as Asked);
