import type { Share } from '../api/types';

// Most frequent first, but rows that are nearly level keep the places they had: a list that
// swaps rows every second cannot be read. "other" is always last.
export function steadyOrder(previous: string[], shares: Share[], tolerance = 0.1): Share[] {
  const place = new Map(previous.map((action, index) => [action, index]));
  const rows = shares.filter((share) => share.action !== 'other').sort((a, b) => b.count - a.count);
  const placeOf = (share: Share) => place.get(share.action) ?? previous.length;
  rows.sort((a, b) => placeOf(a) - placeOf(b));
  for (let end = 1; end < rows.length; end++) {
    for (let at = end; at > 0 && rows[at]!.count > rows[at - 1]!.count * (1 + tolerance); at--) {
      [rows[at - 1], rows[at]] = [rows[at]!, rows[at - 1]!];
    }
  }
  return [...rows, ...shares.filter((share) => share.action === 'other')];
}

export function total(shares: Share[]): number {
  return shares.reduce((sum, share) => sum + share.count, 0);
}
