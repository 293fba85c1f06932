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
export { type HttpProxy, type ProxyAnswer, type ProxyRequest, proxyTo } from './proxy.js';
export { BROKEN, type ForgeCi, pushTriggeredCi } from './push-ci.js';
export {
  buildGitea,
  type GiteaClient,
  giteaClient,
  type RunningGitea,
  removeGitea,
  startGitea,
} from './server.js';
