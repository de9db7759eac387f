import { useRef, useState } from 'preact/hooks';
import type { Share } from '../api/types';
import { count, percent } from '../logic/format';
import { steadyOrder, total } from '../logic/shares';

const rowsAtFirst = 10;

export function Shares({ shares }: { shares: Share[] }) {
  const [all, setAll] = useState(false);
  const order = useRef<string[]>([]);
  const rows = steadyOrder(order.current, shares);
  order.current = rows.map((row) => row.action);
  const sum = total(shares);
  const largest = Math.max(1, ...shares.map((share) => share.count));
  const shown = all ? rows : rows.slice(0, rowsAtFirst);
  return (
    <section class="card" aria-labelledby="shares-title">
      <h2 id="shares-title">Share of each action</h2>
      {rows.length === 0 && <p class="nothing">No decisions yet</p>}
      <ol class="shares">
        {shown.map(({ action, count: times }) => (
          <li key={action}>
            <span class="share-name" title={action}>
              {action}
            </span>
            <span class="share-figures">
              <span class="hidden">: </span>
              {percent(sum > 0 ? times / sum : null)} <span class="share-count">{count(times)}</span>
            </span>
            <span class="share-track" aria-hidden="true">
              <span class="share-bar" style={{ width: `${(times / largest) * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
      {rows.length > rowsAtFirst && (
        <button type="button" class="quiet more" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? 'Fewer' : `All ${rows.length}`}
        </button>
      )}
    </section>
  );
}
