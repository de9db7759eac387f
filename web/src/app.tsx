import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onRefusedToken, readiness, storedToken, storeToken, type ApiError, type Readiness } from './api/client';
import { ConnectionContext, type ConnectionReport } from './connection';
import { ConnectionBar } from './parts/connection_bar';
import { Header } from './parts/header';
import { ServiceBanner } from './parts/service_banner';
import { TokenDialog } from './parts/token_dialog';
import { useRoute } from './route';
import { ThemeContext, useTheme } from './theme';
import { ExperimentView } from './views/experiment_view';
import { ListView } from './views/list_view';

const readinessEvery = 5000;

function useReadiness(): Readiness | null {
  const [state, setState] = useState<Readiness | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const ask = () => {
      if (document.hidden) return;
      // An unreachable service is the views' business: they have something to reconnect.
      readiness(abort.signal).then(setState, () => undefined);
    };
    ask();
    const timer = window.setInterval(ask, readinessEvery);
    return () => {
      abort.abort();
      window.clearInterval(timer);
    };
  }, []);
  return state;
}

// Names the page after its place, and takes the keyboard there when the place changes.
function usePlace(place: string, main: RefObject<HTMLElement>): void {
  const first = useRef(true);
  useEffect(() => {
    document.title = place ? `${place} · Ridgerunner` : 'Ridgerunner';
    if (!first.current) {
      window.scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    first.current = false;
  }, [place]);
}

export function App() {
  const route = useRoute();
  const [theme, toggleTheme] = useTheme();
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [session, setSession] = useState(0); // a new token starts every view afresh
  const [report, setReport] = useState<ConnectionReport | null>(null);
  const service = useReadiness();
  const main = useRef<HTMLElement>(null);

  useEffect(() => onRefusedToken((error) => setRefusal(error)), []);
  usePlace(route.page === 'list' ? '' : route.name, main);
  const takeToken = useCallback((token: string) => {
    storeToken(token);
    setRefusal(null);
    setReport(null);
    setSession((value) => value + 1);
  }, []);
  const skip = (event: Event) => {
    event.preventDefault(); // the # is the route
    main.current?.focus();
  };

  return (
    <ThemeContext.Provider value={theme}>
      <ConnectionContext.Provider value={setReport}>
        <a class="skip" href="#main" onClick={skip}>
          Skip to the content
        </a>
        <Header theme={theme} toggleTheme={toggleTheme} forgetToken={storedToken() ? () => takeToken('') : null} />
        <main id="main" ref={main} tabIndex={-1}>
          <ServiceBanner service={service} />
          {route.page === 'list' ? (
            <ListView key={session} />
          ) : (
            <ExperimentView key={`${session} ${route.name}`} name={route.name} />
          )}
        </main>
        <ConnectionBar report={report} />
        {refusal && <TokenDialog refusal={refusal} hadToken={storedToken() !== ''} submit={takeToken} />}
      </ConnectionContext.Provider>
    </ThemeContext.Provider>
  );
}
