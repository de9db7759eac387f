import type { Theme } from '../theme';

interface Props {
  theme: Theme;
  toggleTheme: () => void;
  forgetToken: (() => void) | null;
}

export function Header({ theme, toggleTheme, forgetToken }: Props) {
  return (
    <header class="top">
      <a class="brand" href="#/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path class="brand-hill" d="M2 25 10 12l5 6 6-11 9 18z" />
          <path class="brand-ridge" d="M2 25 10 12l5 6 6-11 9 18" />
        </svg>
        Ridgerunner
      </a>
      <div class="top-actions">
        {forgetToken && (
          <button type="button" class="quiet" onClick={forgetToken}>
            Forget token
          </button>
        )}
        <button type="button" class="quiet switch" role="switch" aria-checked={theme === 'dark'} onClick={toggleTheme}>
          <span class="switch-track" aria-hidden="true" />
          Dark
        </button>
      </div>
    </header>
  );
}
