import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api/client';
import { retryDelay, type Connection } from './api/live';

export interface ConnectionReport {
  connection: Connection;
  retry: () => void;
}

// Views say here how their connection is; the shell shows it.
export const ConnectionContext = createContext<(report: ConnectionReport) => void>(() => undefined);

export interface Polled<T> {
  value: T | null;
  error: ApiError | null;
}

// Asks again and again while the page is visible; after failures ever more rarely, and tells the shell.
export function usePolling<T>(task: (signal: AbortSignal) => Promise<T>, interval: number): Polled<T> {
  const report = useContext(ConnectionContext);
  const [polled, setPolled] = useState<Polled<T>>({ value: null, error: null });
  const current = useRef(task);
  current.current = task;
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    let attempt = 0;
    const failed = (thrown: unknown): number => {
      // Anything else is an answer that is not the service's: as good as none.
      const error = thrown instanceof ApiError ? thrown : new ApiError(0, 'unreadable', 'the answer cannot be read');
      attempt += 1;
      const wait = retryDelay(attempt);
      setPolled((before) => ({ ...before, error }));
      report({ connection: { phase: 'lost', attempt, retryAt: Date.now() + wait }, retry: ask });
      return wait;
    };
    const ask = async () => {
      window.clearTimeout(timer);
      let wait = interval;
      try {
        const value = await current.current(abort.signal);
        attempt = 0;
        setPolled({ value, error: null });
        report({ connection: { phase: 'live' }, retry: ask });
      } catch (thrown) {
        if (abort.signal.aborted) return;
        if (thrown instanceof ApiError && thrown.needsToken) return;
        wait = failed(thrown);
      }
      if (!abort.signal.aborted && !document.hidden) timer = window.setTimeout(ask, wait);
    };
    const shown = () => {
      if (!document.hidden) void ask();
    };
    document.addEventListener('visibilitychange', shown);
    window.addEventListener('online', shown);
    void ask();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', shown);
      window.removeEventListener('online', shown);
    };
  }, []);
  return polled;
}
