export type { AnyCommand, Command, Flag, JsonSchema, Parameter } from './command.js';
export { commands } from './commands.js';
export { completionScript, type Shell, shells } from './completion-scripts.js';
export { exitCodeSentences, exitCodes } from './exit-codes.js';
export { globalFlags } from './global-flags.js';
export type { Io } from './io.js';
export { groupSummaries, runMq } from './run.js';
export { jsonSchemas } from './schema.js';
