export {
  environmentVariables,
  type LogLevel,
  logLevels,
  readConfig,
  type ServerConfig,
  type StoreChoice,
} from './config.js';
export { type ConfigFile, configFile } from './config-file.js';
export { makeLogger } from './log.js';
export { StartProblem } from './problem.js';
export { type RunningServer, startServer } from './server.js';
