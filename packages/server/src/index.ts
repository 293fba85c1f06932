export {
  environmentVariables,
  type LogLevel,
  logLevels,
  readConfig,
  type ServerConfig,
  type StoreChoice,
} from './config.js';
export { type ConfigFile, configFile } from './config-file.js';
export { counterCatalogue } from './counters/catalogue.js';
export { COUNTED_QUEUES_LIMIT, OTHERS } from './counters/counters.js';
export { serverFindings } from './diagnosis.js';
export { makeLogger } from './log.js';
export { StartProblem } from './problem.js';
export { type RunningServer, startServer } from './server.js';
