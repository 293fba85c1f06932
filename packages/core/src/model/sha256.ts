// The one import of Node here: of all that its module has, this is a function of its argument and nothing else.
import { hash } from 'node:crypto';

/** The SHA-256 of a text in UTF-8, as 64 hexadecimal digits. */
export const sha256 = (text: string): string => hash('sha256', text);
