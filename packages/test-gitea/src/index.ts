export { type Forge, PEOPLE, startForge, TEAM } from './forge.js';
export {
  buildGitea,
  type GiteaClient,
  giteaClient,
  hasGo,
  isGiteaBuilt,
  type RunningGitea,
  removeGitea,
  startGitea,
} from './server.js';
