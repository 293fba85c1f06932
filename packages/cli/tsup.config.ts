import { commandBuild } from '../../tsup.base.js';

export default commandBuild('src/mq.ts');
