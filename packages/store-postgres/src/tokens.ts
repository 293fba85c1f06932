import {
  type AddToken,
  type FoundToken,
  type Instant,
  type Key,
  type Listing,
  type Page,
  type Revocation,
  readCursor,
  type Token,
  type TokenId,
  type TokenQuery,
  USE_NOTED_EVERY_MS,
} from '@mq/core';
import type { Row } from './database.js';
import { pageOf, rowsWanted } from './page.js';
import { asDocument, type Names, type Runner, type Statement, Values, withParts } from './statement.js';
import { documentIn, fromStoredText } from './stored-json.js';

const tokenListing: Listing = { name: 'tokens', shape: ['number', 'string'] };

const tokenKey = ({ createdAt, id }: Token): Key => [createdAt, id];

const columns = `expires_at::text as expires_at, last_used_at::text as last_used_at, revoked_at::text as revoked_at,
  ${asDocument('revoked_by')} as revoked_by, replaced_by, ${asDocument('value')} as value`;

const tokenIn = (row: Row): Token => ({
  ...documentIn<Token>(row.value),
  expiresAt: instantIn(row.expires_at),
  lastUsedAt: instantIn(row.last_used_at),
  revoked:
    row.revoked_at == null
      ? null
      : { at: Number(row.revoked_at), by: documentIn<Revocation['by']>(row.revoked_by) },
  replacedBy: row.replaced_by == null ? null : (fromStoredText(String(row.replaced_by)) as TokenId),
});

const instantIn = (column: unknown): Instant | null => (column == null ? null : Number(column));

export const findToken = async (run: Runner, names: Names, digest: string): Promise<FoundToken | null> => {
  const values = new Values();
  const [row] = await run(
    `select ${columns}, ${names.now}::text as now from ${names.tokens} where digest = ${values.text(digest)}`,
    values,
  );
  return row === undefined ? null : { token: tokenIn(row), now: Number(row.now) };
};

export const readToken = async (run: Runner, names: Names, id: TokenId): Promise<Token | null> => {
  const values = new Values();
  const [row] = await run(`select ${columns} from ${names.tokens} where id = ${values.text(id)}`, values);
  return row === undefined ? null : tokenIn(row);
};

export const readTokens = async (run: Runner, names: Names, query: TokenQuery): Promise<Page<Token>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const [createdAt, id] = readCursor(tokenListing, query.cursor) ?? [];
  const conditions = [isMadeByFamily(values, query.madeBy)];
  if (createdAt !== undefined)
    conditions.push(`(created_at, id) < (${values.number(Number(createdAt))}, ${values.text(String(id))})`);
  const rows = await run(
    `select ${columns} from ${names.tokens} where ${conditions.join(' and ')}
order by created_at desc, id desc limit ${values.number(wanted)}`,
    values,
  );
  return pageOf(tokenListing, rows, wanted, tokenKey, tokenIn);
};

const isMadeByFamily = (values: Values, familyId: TokenId): string =>
  `maker_families @> ${values.textList([familyId])}`;

/** Decides the outcome and writes in one statement, based on the same snapshot. */
export const addToken = async (
  run: Runner,
  names: Names,
  token: Token,
  { replaced, limit }: AddToken,
): Promise<'added' | 'exists' | 'gone' | 'full'> => {
  const statement = { names, values: new Values() };
  const [row] = await run(
    withParts(
      [
        ['taken', takenSql(statement, token)],
        ['old', oldSql(statement, replaced)],
        ['made', madeSql(statement, token)],
        ['added', insertSql(statement, token, { replaced, limit })],
        ['ended', endSql(statement, token, replaced)],
      ],
      `select exists (select from added) as added, exists (select from taken) as taken,
  ${replaced === null ? 'true' : 'exists (select from old)'} as has_old`,
    ),
    statement.values,
  );
  if (row?.added === true) return 'added';
  if (row?.taken === true) return 'exists';
  if (row?.has_old !== true) return 'gone';
  // Rows that another process added meanwhile are not in it, so the search is repeated.
  return (await isTaken(run, names, token)) ? 'exists' : 'full';
};

const takenSql = ({ names, values }: Statement, { id, digest }: Token): string =>
  `select id from ${names.tokens} where id = ${values.text(id)} or digest = ${values.text(digest)}`;

const isTaken = async (run: Runner, names: Names, token: Token): Promise<boolean> => {
  const values = new Values();
  return (await run(takenSql({ names, values }, token), values)).length > 0;
};

/** Locked, so that of two replacements one comes second and sees the first. */
const oldSql = ({ names, values }: Statement, replaced: AddToken['replaced']): string =>
  replaced === null
    ? `select id from ${names.tokens} where false`
    : `select id from ${names.tokens}
where id = ${values.text(replaced.id)} and revoked_at is null and replaced_by is null for update`;

const madeSql = ({ names, values }: Statement, { makers, createdAt }: Token): string => {
  const maker = makers.at(-1);
  if (maker === undefined) return 'select 0::bigint as count';
  const at = values.number(createdAt);
  return `select count(*) as count from ${names.tokens} where ${isMadeByFamily(values, maker.familyId)}
  and revoked_at is null and (expires_at is null or expires_at > ${at})`;
};

const insertSql = ({ names, values }: Statement, token: Token, { replaced, limit }: AddToken): string => {
  const { id, digest, makers, createdAt, expiresAt, lastUsedAt, revoked, replacedBy, ...fixed } = token;
  const families = values.textList(makers.map(({ familyId }) => familyId));
  const ids = values.textList(makers.map(({ tokenId }) => tokenId));
  const value = values.document({ ...fixed, id, digest, makers, createdAt });
  const conditions = [
    'not exists (select from taken)',
    `made.count < ${values.number(limit)}`,
    ...(replaced === null ? [] : ['exists (select from old)']),
  ];
  return `insert into ${names.tokens}
  (id, digest, maker_families, maker_ids, created_at, expires_at, last_used_at, revoked_at, revoked_by, replaced_by, value)
select ${values.text(id)}, ${values.text(digest)}, ${families}, ${ids}, ${values.number(createdAt)},
  ${values.instant(expiresAt)}, ${values.instant(lastUsedAt)}, ${values.instant(revoked?.at ?? null)},
  ${revoked === null ? 'null' : values.document(revoked.by)}, ${values.text(replacedBy)}, ${value}
from made where ${conditions.join(' and ')}
on conflict do nothing returning id`;
};

const endSql = ({ names, values }: Statement, { id }: Token, replaced: AddToken['replaced']): string =>
  replaced === null
    ? `select id from ${names.tokens} where false`
    : `update ${names.tokens} set replaced_by = ${values.text(id)}, expires_at = least(expires_at, ${values.instant(replaced.expiresAt)})
where id = ${values.text(replaced.id)} and exists (select from added) returning id`;

export const revokeToken = async (
  run: Runner,
  names: Names,
  id: TokenId,
  { at, by, withMade }: Revocation & { readonly withMade: boolean },
): Promise<readonly TokenId[]> => {
  const values = new Values();
  const isMade = withMade ? ` or maker_ids @> ${values.textList([id])}` : '';
  const rows = await run(
    `update ${names.tokens} set revoked_at = ${values.instant(at)}, revoked_by = ${values.document(by)}
where revoked_at is null and (id = ${values.text(id)}${isMade}) returning id`,
    values,
  );
  return rows.map((row) => fromStoredText(String(row.id)) as TokenId);
};

export const noteTokenUse = async (run: Runner, names: Names, id: TokenId, at: Instant): Promise<void> => {
  const values = new Values();
  const now = values.instant(at);
  await run(
    `update ${names.tokens} set last_used_at = ${now}
where id = ${values.text(id)} and (last_used_at is null or last_used_at <= ${now} - ${USE_NOTED_EVERY_MS})`,
    values,
  );
};

export const pruneTokens = async (
  run: Runner,
  names: Names,
  ask: { readonly before: Instant; readonly now: Instant; readonly keep: number },
): Promise<void> => {
  const values = new Values();
  const end = 'least(revoked_at, expires_at)';
  await run(
    `delete from ${names.tokens} where ${end} < ${values.instant(ask.before)} or id in (
  select id from ${names.tokens} where ${end} <= ${values.instant(ask.now)}
  order by ${end} desc, id desc offset ${values.number(ask.keep)})`,
    values,
  );
};
