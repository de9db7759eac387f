import { createContext } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';

const key = 'ridgerunner.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}

function chosenTheme(): Theme | null {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : null;
}

export function applyTheme(): Theme {
  const theme = chosenTheme() ?? systemTheme();
  document.documentElement.dataset.theme = theme;
  return theme;
}

// The system's theme, unless the reader switched; switching back to the system's follows it again.
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(applyTheme);
  useEffect(() => {
    const changed = () => setTheme(applyTheme());
    system.addEventListener('change', changed);
    return () => system.removeEventListener('change', changed);
  }, []);
  const toggle = () => {
    const next = theme === 'dark' ? 'light' : 'dark';
    if (next === systemTheme()) localStorage.removeItem(key);
    else localStorage.setItem(key, next);
    setTheme(applyTheme());
  };
  return [theme, toggle];
}

export const ThemeContext = createContext<Theme>('light');

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
