export {
  type Files,
  git,
  makePlace,
  NAME,
  OWNER,
  type Place,
  quoted,
} from './contributor.js';
export {
  corrupt,
  damageTree,
  type HostileTree,
  hostileCommit,
  hostileTree,
  hostileTrees,
  writeRaw,
} from './hostile.js';
export { loggedFrom } from './logged.js';
