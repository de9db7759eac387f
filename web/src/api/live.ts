import { ApiError, experimentPath, send } from './client';
import { EventParser } from './sse';
import type { LiveState } from './types';

export type Connection =
  | { phase: 'connecting' }
  | { phase: 'live' }
  | { phase: 'lost'; attempt: number; retryAt: number }
  | { phase: 'refused'; error: ApiError };

export interface LiveHandlers {
  connection(connection: Connection): void;
  // Called with the first state after every (re)connection, before `state`.
  connected(): void;
  state(state: LiveState): void;
}

// The service sends at least a comment every 15 s; twice that without a byte is a dead connection.
const silenceLimit = 30_000;
// A page nobody looks at gives its connection back: browsers allow only six for each host.
const hiddenLimit = 30_000;

export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** Math.max(attempt - 1, 0), 8000);
}

// Keeps one stream of states open until stopped: reconnects by itself, and rests while the page is hidden.
export class LiveStream {
  private abort: AbortController | null = null;
  private retry = 0;
  private hide = 0;
  private attempt = 0;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly handlers: LiveHandlers,
  ) {
    document.addEventListener('visibilitychange', this.visibility);
    window.addEventListener('online', this.reconnect);
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    document.removeEventListener('visibilitychange', this.visibility);
    window.removeEventListener('online', this.reconnect);
    window.clearTimeout(this.hide);
    this.close();
  }

  // At once instead of when the next attempt is due.
  readonly reconnect = (): void => {
    if (!this.abort) this.connect();
  };

  private readonly visibility = (): void => {
    window.clearTimeout(this.hide);
    if (document.hidden) this.hide = window.setTimeout(() => this.close(), hiddenLimit);
    else this.reconnect();
  };

  private close(): void {
    window.clearTimeout(this.retry);
    const abort = this.abort;
    this.abort = null;
    abort?.abort();
  }

  private connect(): void {
    window.clearTimeout(this.retry);
    const abort = new AbortController();
    this.abort = abort;
    if (this.attempt === 0) this.handlers.connection({ phase: 'connecting' });
    this.read(abort)
      .then(() => this.ended(abort, null))
      .catch((error: unknown) => this.ended(abort, error));
  }

  private ended(abort: AbortController, error: unknown): void {
    if (this.stopped || this.abort !== abort) return;
    this.abort = null;
    abort.abort();
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429) {
      this.handlers.connection({ phase: 'refused', error });
      return;
    }
    this.attempt += 1;
    const delay = retryDelay(this.attempt);
    this.handlers.connection({ phase: 'lost', attempt: this.attempt, retryAt: Date.now() + delay });
    this.retry = window.setTimeout(() => this.connect(), delay);
  }

  private async read(abort: AbortController): Promise<void> {
    let watchdog = window.setTimeout(() => abort.abort(), silenceLimit);
    try {
      const response = await send(experimentPath(this.name, '/live'), {
        headers: { Accept: 'text/event-stream' },
        signal: abort.signal,
      });
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      const parser = new EventParser();
      let first = true;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        window.clearTimeout(watchdog);
        watchdog = window.setTimeout(() => abort.abort(), silenceLimit);
        for (const event of parser.push(decoder.decode(value, { stream: true }))) {
          if (event.type !== 'state') continue;
          const state = JSON.parse(event.data) as LiveState;
          if (first) this.begin();
          first = false;
          this.handlers.state(state);
        }
      }
    } finally {
      window.clearTimeout(watchdog);
    }
  }

  private begin(): void {
    this.attempt = 0;
    this.handlers.connection({ phase: 'live' });
    this.handlers.connected();
  }
}
