// Each of these can break a line of a log, the encoding of an answer, or the order in which a terminal shows what follows.
const unshowable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Marks of direction: at home in a sentence, and a way to make two names look alike. */
const mark = /[\u061c\u200e\u200f]/;

export const NAME_CHARACTERS_FAULT =
  'must not contain control characters, bidirectional controls or lone surrogates';

/** True of one line of text in which every character is shown as itself. */
export const hasLineCharacters = (text: string): boolean => !unshowable.test(text);

/** The same of a name, which has no marks of direction either. */
export const hasNameCharacters = (text: string): boolean => hasLineCharacters(text) && !mark.test(text);

/** One line for a terminal or a log: control characters become a space, what else is not shown as itself U+FFFD. */
export const oneLine = (text: string): string =>
  hasLineCharacters(text)
    ? text
    : text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
