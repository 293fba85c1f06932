import { HttpProblem } from './errors.js';
import { pathText } from './problem-reply.js';
import { parse } from './schemas/common.js';

/** Returns the parsed value. Throws INVALID_REQUEST with all faults. */
export const valid = <Schema extends Parameters<typeof parse>[0]>(schema: Schema, value: unknown) => {
  const result = parse(schema, value);
  if ('value' in result) return result.value;
  const listed = result.faults.map(({ path, message }) => `${pathText(path)} ${message}`.trim()).join('; ');
  throw new HttpProblem('INVALID_REQUEST', `The request is not valid: ${listed}.`, { faults: result.faults });
};
