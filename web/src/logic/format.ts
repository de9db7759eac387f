// Numbers and times as text. Live figures keep their number of digits, so that they do not jump about.

export const missing = '–';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function count(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? missing : grouped.format(value);
}

// `digits` significant digits, trailing zeros kept; large and tiny numbers with an exponent.
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return missing;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-4) return minus(value.toExponential(digits - 1).replace('e+', 'e'));
  const whole = Math.floor(Math.log10(size)) + 1;
  const decimals = Math.max(0, Math.min(digits - whole, digits + 3));
  const text = value.toFixed(decimals);
  const [integer, fraction] = text.split('.');
  const sign = integer!.startsWith('-') ? '-' : '';
  const out = sign + grouped.format(Math.abs(Number(integer)));
  return minus(fraction === undefined ? out : `${out}.${fraction}`);
}

// The shortest that tells neighbouring ticks apart: for axes.
export function tick(value: number, step: number): string {
  if (value === 0) return '0';
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e6) return minus(`${trim((value / 1e6).toFixed(decimalsFor(step / 1e6)))}M`);
  if (size >= 1e4) return minus(`${trim((value / 1e3).toFixed(decimalsFor(step / 1e3)))}k`);
  if (step < 1e-5) return minus(value.toExponential(1));
  return minus(value.toFixed(decimalsFor(step)));
}

function decimalsFor(step: number): number {
  for (let decimals = 0; decimals < 8; decimals++) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 8;
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function minus(text: string): string {
  return text.replace(/^-/, '−');
}

export function percent(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return missing;
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return `${value.toFixed(value < 99.95 ? 1 : 0)} %`;
}

export function rate(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return missing;
  if (value >= 100) return grouped.format(value);
  return value.toFixed(value > 0 && value < 0.1 ? 3 : 1);
}

export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1000);
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 120 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

// The reader's own clock, always eight characters.
export function clock(time: string | number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return missing;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function day(time: string | number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return missing;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// Ids tell themselves apart at their ends: the middle goes first.
export function shortId(id: string): string {
  return id.length <= 11 ? id : `${id.slice(0, 3)}…${id.slice(-6)}`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
