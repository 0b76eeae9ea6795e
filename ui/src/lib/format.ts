// How numbers, sizes and moments read on screen. What is not known is a dash, never NaN.
const locale = navigator.language;
export const dash = '–';

type Unknown = number | null | undefined;
const known = (value: Unknown): value is number => typeof value === 'number' && Number.isFinite(value);

// Made once: a running answer writes hundreds of numbers a second, and making a format takes far longer than using it.
const decimals: Intl.NumberFormat[] = [];
const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const times = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'short' });
const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });

export function decimal(value: Unknown, digits: number): string {
  if (!known(value)) return dash;
  decimals[digits] ??= new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return decimals[digits].format(value);
}

export function count(value: Unknown): string {
  return decimal(value, 0);
}

export function percent(rate: Unknown): string {
  return known(rate) ? percents.format(rate) : dash;
}

export function plural(value: number, word: string): string {
  return `${count(value)} ${value === 1 ? word : `${word}s`}`;
}

/** Whole seconds, and minutes once there are any; a tenth is as exact as a short one gets. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${decimal(Math.max(0.1, seconds), 1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${count(whole)} s` : `${count(Math.floor(whole / 60))} min ${count(whole % 60)} s`;
}

/** A time that is only guessed: seconds, then minutes, then hours with minutes. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `about ${count(Math.max(1, seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `about ${count(minutes)} min`;
  return `about ${count(Math.floor(minutes / 60))} h ${count(minutes % 60)} min`;
}

/** A tenth where it counts. */
export function milliseconds(seconds: number): string {
  const value = seconds * 1000;
  return `${decimal(value, value < 9.95 ? 1 : 0)} ms`;
}

/** Decimal units, as the Finder shows them. */
export function bytes(value: Unknown): string {
  if (!known(value)) return dash;
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** power;
  return `${decimal(scaled, power > 0 && scaled < 10 ? 1 : 0)} ${units[power]}`;
}

/** Today the time, this week the day, otherwise the date. */
export function moment(ms: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (ms >= midnight) return times.format(ms);
  if (ms >= midnight - 6 * 86_400_000) return weekdays.format(ms);
  return days.format(ms);
}

/** A moment of a history, with its year once that is another one. */
export function dateAndTime(ms: number): string {
  const date = new Date(ms);
  const year = date.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  return date.toLocaleString(locale, { year, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
}

/** The date of a moment. */
export function day(ms: number): string {
  return days.format(ms);
}
