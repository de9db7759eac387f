import { useContext, useEffect, useState } from 'preact/hooks';
import { ApiError, history, showExperiment } from '../api/client';
import { LiveStream, type Connection } from '../api/live';
import type { Experiment, LiveState } from '../api/types';
import { ConnectionContext } from '../connection';
import { append, emptySeries, rebase, type Series } from '../logic/series';

export interface Watched {
  experiment: Experiment | null; // with its spec, as of the last (re)connection
  live: LiveState | null;
  series: Series;
  connection: Connection;
  error: ApiError | null;
}

// Everything there is to know about one experiment, kept up to date by its stream.
export function useExperiment(name: string): Watched {
  const report = useContext(ConnectionContext);
  const [watched, setWatched] = useState<Watched>({
    experiment: null,
    live: null,
    series: emptySeries(),
    connection: { phase: 'connecting' },
    error: null,
  });
  useEffect(() => {
    const abort = new AbortController();
    const change = (part: (before: Watched) => Partial<Watched>) => {
      if (!abort.signal.aborted) setWatched((before) => ({ ...before, ...part(before) }));
    };
    const refused = (error: unknown) => {
      if (error instanceof ApiError && error.status !== 0 && !error.needsToken) change(() => ({ error }));
    };
    const stream: LiveStream = new LiveStream(name, {
      connection: (connection) => {
        change(() => ({ connection }));
        if (connection.phase === 'refused') refused(connection.error);
        report({ connection, retry: () => stream.reconnect() });
      },
      // What happened while nobody listened is in the history.
      connected: () => {
        showExperiment(name, abort.signal).then((experiment) => change(() => ({ experiment, error: null })), refused);
        history(name, abort.signal).then((fresh) => change(({ series }) => ({ series: rebase(series, fresh) })), refused);
      },
      state: (live) => change(({ series }) => ({ live, series: append(series, live) })),
    });
    return () => {
      abort.abort();
      stream.stop();
    };
  }, [name]);
  return watched;
}
