const TAGS_LIMIT = 20;
const IF_MATCH_CHARS_LIMIT = 2_000;

/** The entity tags of `If-Match`; null without it, and for `*`. A weak tag matches nothing, as RFC 9110 has it. */
export const ifMatchOf = (header: string | undefined): readonly string[] | null => {
  if (header === undefined || header.trim() === '*') return null;
  const tags = header
    .slice(0, IF_MATCH_CHARS_LIMIT)
    .split(',')
    .map((tag) => tag.trim());
  return tags
    .flatMap((tag) => (/^"[\x21\x23-\x7e]{1,255}"$/.test(tag) ? [tag.slice(1, -1)] : []))
    .slice(0, TAGS_LIMIT);
};
