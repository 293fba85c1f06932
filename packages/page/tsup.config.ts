import { packageBuild } from '../../tsup.base.js';
import { APP_FOLDER, buildApp } from './src/build/build-app.js';

export default packageBuild(['src/index.ts'], 'node', () => buildApp(APP_FOLDER));
