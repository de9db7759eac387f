import { useEffect, useState } from 'preact/hooks';
import type { ConnectionReport } from '../connection';

// Lies over the page instead of pushing it down.
export function ConnectionBar({ report }: { report: ConnectionReport | null }) {
  const lost = report?.connection.phase === 'lost' ? report.connection : null;
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!lost) return undefined;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 500);
    return () => window.clearInterval(timer);
  }, [lost]);
  const seconds = lost ? Math.max(0, Math.ceil((lost.retryAt - now) / 1000)) : 0;
  return (
    <div class="connection-place" role="status">
      {lost && (
        <div class="connection-bar">
          <span>
            <strong>Connection lost.</strong> What you see is the last that arrived.{' '}
            <span class="connection-next" aria-hidden="true">
              {seconds > 0 && now > 0 ? `Next try in ${seconds} s.` : 'Trying …'}
            </span>
          </span>
          <button type="button" onClick={report!.retry}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}
