import type { ExplainedDecision, Experiment, History, Predictions } from './types';

// The service refused or could not be reached. `status` is 0 if there was no answer at all.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  get needsToken(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

const tokenKey = 'ridgerunner.token';

export function storedToken(): string {
  return sessionStorage.getItem(tokenKey) ?? '';
}

export function storeToken(token: string): void {
  if (token) sessionStorage.setItem(tokenKey, token);
  else sessionStorage.removeItem(tokenKey);
}

// The page hears of every refused token here, whoever asked.
let refused: (error: ApiError) => void = () => undefined;
export function onRefusedToken(listener: (error: ApiError) => void): void {
  refused = listener;
}

// Paths are relative to the page, so that they work under a proxy's prefix.
export function experimentPath(name: string, rest = ''): string {
  return `v1/experiments/${encodeURIComponent(name)}${rest}`;
}

async function failure(response: Response): Promise<ApiError> {
  let code = 'unknown';
  let message = `the service answered ${response.status}`;
  try {
    const body = await response.json();
    code = String(body.error.code);
    message = String(body.error.message);
  } catch {
    // Not the service's own error: a proxy's page, for instance. The status has to do.
  }
  return new ApiError(response.status, code, message);
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = storedToken();
  if (token) headers.set('Authorization', `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'the service cannot be reached');
  }
  if (response.ok) return response;
  const error = await failure(response);
  if (error.needsToken) refused(error);
  throw error;
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, { signal })).json();
}

export async function listExperiments(signal?: AbortSignal): Promise<Experiment[]> {
  const answer = await get<{ experiments: Experiment[] }>('v1/experiments', signal);
  return answer.experiments;
}

export function showExperiment(name: string, signal?: AbortSignal): Promise<Experiment> {
  return get(experimentPath(name), signal);
}

export function history(name: string, signal?: AbortSignal): Promise<History> {
  return get(experimentPath(name, '/history'), signal);
}

export function explain(name: string, eventId: string, signal?: AbortSignal): Promise<ExplainedDecision> {
  return get(experimentPath(name, `/decisions/${encodeURIComponent(eventId)}`), signal);
}

export async function predict(name: string, states: number[][], signal?: AbortSignal): Promise<Predictions> {
  const response = await send(experimentPath(name, '/predict'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ states }),
    signal,
  });
  return response.json();
}

export interface Readiness {
  status: string;
  message: string;
}

// Whether the service takes work: 200 and 503 both carry the answer.
export async function readiness(signal?: AbortSignal): Promise<Readiness> {
  let response: Response;
  try {
    response = await fetch('readyz', { signal, cache: 'no-store' });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'the service cannot be reached');
  }
  const body = await response.json().catch(() => ({}));
  if (typeof body.status !== 'string') throw new ApiError(response.status, 'unknown', 'the service is not ready');
  return { status: body.status, message: typeof body.message === 'string' ? body.message : '' };
}
