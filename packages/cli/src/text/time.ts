const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A duration as people say it: "40 s", "6 min", "2 h 5 min", "3 d 4 h". */
export const duration = (ms: number): string => {
  const whole = Math.max(0, ms);
  if (whole < MINUTE_MS) return `${Math.floor(whole / 1000)} s`;
  if (whole < HOUR_MS) return `${Math.floor(whole / MINUTE_MS)} min`;
  if (whole < DAY_MS)
    return two(Math.floor(whole / HOUR_MS), 'h', Math.floor((whole % HOUR_MS) / MINUTE_MS), 'min');
  return two(Math.floor(whole / DAY_MS), 'd', Math.floor((whole % DAY_MS) / HOUR_MS), 'h');
};

const two = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** The time of day where the user is; with the date where that is another day than `now`. */
export const clock = (iso: string, now: number): string => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const time = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}`;
  const isToday = new Date(now).toDateString() === at.toDateString();
  return isToday
    ? time
    : `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${time}`;
};

export const since = (iso: string, now: number): string => duration(now - Date.parse(iso));

/** The time until or since an instant, with its time of day: "in 6 min (14:11:00)", "4 s ago (…)". */
export const relative = (iso: string, now: number): string => {
  const ms = Date.parse(iso) - now;
  return `${ms >= 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`} (${clock(iso, now)})`;
};

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** The milliseconds of "90s", "30m", "2h", "1d" or "0"; null if the text is none. */
export const durationIn = (text: string): number | null => {
  if (text.trim() === '0') return 0;
  const [, count, unit = ''] = /^(\d{1,9})\s*(s|m|min|h|d)$/.exec(text.trim()) ?? [];
  return count === undefined ? null : Number(count) * (UNITS_MS[unit] ?? 0);
};

/** The next instant with this time of day, or the last one with the sign -1, where the user is. */
const timeOfDay = (
  [hours, minutes, seconds]: readonly [number, number, number],
  now: number,
  sign: 1 | -1,
): Date => {
  const at = new Date(now);
  at.setHours(hours, minutes, seconds, 0);
  if (Math.sign(at.getTime() - now) === -sign) at.setDate(at.getDate() + sign);
  return at;
};

/** The instant of "2h" from now (or before it, with the sign -1), of an ISO date, or of a time of day; null otherwise. */
export const instantIn = (text: string, now: number, sign: 1 | -1 = 1): string | null => {
  const ms = durationIn(text);
  if (ms !== null) return new Date(now + sign * ms).toISOString();
  const [, hours, minutes, seconds = 0] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? [];
  if (hours !== undefined)
    return Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60
      ? timeOfDay([Number(hours), Number(minutes), Number(seconds)], now, sign).toISOString()
      : null;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
};
