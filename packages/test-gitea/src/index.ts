export {
  type Forge,
  forgeAt,
  type GiteaPlace,
  type IssuedToken,
  type OwnForge,
  PEOPLE,
  startForge,
  TEAM,
} from './forge.js';
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
export { type Way, type WayAnswer, type WayRequest, wayTo } from './way.js';
