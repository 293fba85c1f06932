export { type Report, simulate } from './world/world.js';
