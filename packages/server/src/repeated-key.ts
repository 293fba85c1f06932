const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Level {
  /** Null in a list. */
  readonly keys: Set<string> | null;
  /** The key, or the index in a list, that is being read. */
  at: string | number;
}

/** The path of the first key that valid JSON gives twice in one object; null if it gives none twice. */
export const repeatedKey = (json: string): readonly (string | number)[] | null => {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of json.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ keys: new Set(), at: '' });
    else if (token === '[') levels.push({ keys: null, at: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at += 1;
    else if (token === ':' && level?.keys != null) {
      level.at = JSON.parse(last) as string;
      if (level.keys.has(level.at)) return levels.map(({ at }) => at);
      level.keys.add(level.at);
    }
    last = token;
  }
  return null;
};
