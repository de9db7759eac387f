import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, explain, predict } from '../api/client';
import type { Decision } from '../api/types';
import type { PosteriorCurve } from '../charts/posterior_chart';
import { slicePlaces, sliceStates, type Range } from '../logic/slice';

export interface SeenState {
  id: string;
  state: number[];
}

const statesKept = 40;
const statesAtOnce = 4; // every one costs the service an explanation
const statesEvery = 3000;
const curveEvery = 2000;
const curvePoints = 121;

// The states of recent decisions, newest first, collected slowly: the stream does not carry them.
export function useStates(name: string, recent: Decision[], selected: string | null): SeenState[] {
  const [seen, setSeen] = useState<SeenState[]>([]);
  const latest = useRef({ recent, selected, seen });
  latest.current = { recent, selected, seen };
  const some = recent.length > 0;
  useEffect(() => {
    if (!some) return undefined;
    const abort = new AbortController();
    const collect = async () => {
      const { recent: now, selected: chosen, seen: before } = latest.current;
      const known = new Set(before.map(({ id }) => id));
      const wanted = [...(chosen ? [chosen] : []), ...now.map(({ event_id: id }) => id)].filter((id) => !known.has(id));
      const found: SeenState[] = [];
      for (const id of [...new Set(wanted)].slice(0, statesAtOnce)) {
        try {
          found.push({ id, state: (await explain(name, id, abort.signal)).state });
        } catch {
          // Forgotten by now, or out of reach: others will come.
        }
      }
      if (found.length > 0 && !abort.signal.aborted) setSeen((all) => newestFirst([...found, ...all], now, chosen));
    };
    void collect();
    const timer = window.setInterval(collect, statesEvery);
    return () => {
      abort.abort();
      window.clearInterval(timer);
    };
  }, [name, some, selected]);
  return seen;
}

function newestFirst(states: SeenState[], recent: Decision[], selected: string | null): SeenState[] {
  const place = new Map(recent.map(({ event_id: id }, index) => [id, index]));
  const sorted = states
    .map((state, index) => ({ state, place: place.get(state.id) ?? recent.length + index }))
    .sort((a, b) => a.place - b.place)
    .map(({ state }) => state);
  return sorted.filter(({ id }, index) => index < statesKept || id === selected);
}

// The posterior along the slice, asked at once when the question changes and, more calmly, when the model does.
export function useCurve(name: string, base: number[] | null, dimension: number, [from, to]: Range, version: number) {
  const [answer, setAnswer] = useState<{ curve: PosteriorCurve | null; error: string | null }>({ curve: null, error: null });
  const latestVersion = useRef(version);
  latestVersion.current = version;
  const question = base ? JSON.stringify([base, dimension, from, to]) : '';
  useEffect(() => {
    if (!base) return undefined;
    const abort = new AbortController();
    const range: Range = [from, to];
    let timer = 0;
    let answered = -1;
    const ask = async () => {
      const asked = latestVersion.current;
      try {
        if (asked !== answered) {
          const { mean, lower, upper } = await predict(name, sliceStates(base, dimension, range, curvePoints), abort.signal);
          answered = asked;
          setAnswer({ curve: { places: slicePlaces(range, curvePoints), mean, lower, upper }, error: null });
        }
      } catch (error) {
        if (abort.signal.aborted || !(error instanceof ApiError)) return;
        if (error.status !== 0) setAnswer((before) => ({ ...before, error: `No prediction: ${error.message}.` }));
      }
      timer = window.setTimeout(ask, curveEvery);
    };
    void ask();
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [name, question]);
  return answer;
}
