import { useEffect, useState } from 'preact/hooks';

// The place in the page is kept behind the #, so that the service has one page to serve, under any prefix.
export type Route = { page: 'list' } | { page: 'experiment'; name: string };

export function parseRoute(hash: string): Route {
  const match = /^#\/experiments\/([^/]+)$/.exec(hash);
  if (!match) return { page: 'list' };
  try {
    return { page: 'experiment', name: decodeURIComponent(match[1]!) };
  } catch {
    return { page: 'list' };
  }
}

export function experimentLink(name: string): string {
  return `#/experiments/${encodeURIComponent(name)}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return route;
}
