const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration as people say it: `40 s`, `6 min`, `2 h 5 min`, `3 d`. */
export const durationText = (ms: number): string => {
  const value = Math.max(0, ms);
  if (value < MINUTE) return `${Math.floor(value / 1000)} s`;
  if (value < HOUR) return `${Math.floor(value / MINUTE)} min`;
  if (value < 10 * HOUR) {
    const minutes = Math.floor((value % HOUR) / MINUTE);
    return `${Math.floor(value / HOUR)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  return value < 2 * DAY ? `${Math.floor(value / HOUR)} h` : `${Math.floor(value / DAY)} d`;
};

/** How far an instant is from now: `6 min ago`, `in 6 min`, `now`. */
export const relativeText = (at: number, now: number): string => {
  const ms = at - now;
  if (Math.abs(ms) < 5_000) return 'now';
  return ms < 0 ? `${durationText(-ms)} ago` : `in ${durationText(ms)}`;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** An instant in the time zone of the reader, to the second. */
export const instantText = (at: number): string => {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** The time of day, with the date if it is another day than now. */
export const clockText = (at: number, now: number): string => {
  const text = instantText(at);
  return text.slice(0, 10) === instantText(now).slice(0, 10) ? text.slice(11, 16) : text.slice(0, 16);
};
