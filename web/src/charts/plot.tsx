import { useContext, useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { ThemeContext } from '../theme';

interface Props {
  // Everything but the size. Asked again when `recipe` or the theme changes: then the plot is made anew.
  options: () => Omit<uPlot.Options, 'width' | 'height'>;
  recipe: string;
  data: uPlot.AlignedData;
  height: number;
  label: string;
  onCursor: (index: number | null) => void;
}

// uPlot in a box that follows its parent's width. Arrow keys move the cursor from point to point.
export function Plot({ options, recipe, data, height, label, onCursor }: Props) {
  const theme = useContext(ThemeContext);
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ data, onCursor });
  latest.current = { data, onCursor };

  useEffect(() => {
    const place = box.current!;
    const made = new uPlot({ ...options(), width: place.clientWidth, height }, latest.current.data, place);
    made.hooks.setCursor = [
      ...(made.hooks.setCursor ?? []),
      (self: uPlot) => latest.current.onCursor(self.cursor.left! >= 0 ? (self.cursor.idx ?? null) : null),
    ];
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (place.clientWidth > 0 && place.clientWidth !== made.width) made.setSize({ width: place.clientWidth, height });
    });
    observer.observe(place);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [recipe, theme, height]);

  useEffect(() => {
    if (plot.current && plot.current.data !== data) plot.current.setData(data);
  }, [data]);

  const keys = (event: KeyboardEvent) => {
    const self = plot.current;
    if (!self || moveCursor(self, event.key) === false) return;
    event.preventDefault();
  };
  const leave = () => plot.current?.setCursor({ left: -10, top: -10 });
  return (
    <div
      ref={box}
      class="plot"
      style={{ height: `${height}px` }}
      tabIndex={0}
      role="group"
      aria-roledescription="chart"
      aria-label={label}
      onKeyDown={keys}
      onBlur={leave}
    />
  );
}

function moveCursor(plot: uPlot, key: string): boolean {
  const places = plot.data[0];
  const end = places.length - 1;
  if (end < 0) return false;
  const at = plot.cursor.left! >= 0 ? (plot.cursor.idx ?? end) : null;
  const stride = Math.max(1, Math.round(places.length / 60));
  let to: number;
  if (key === 'ArrowLeft') to = at === null ? end : Math.max(0, at - stride);
  else if (key === 'ArrowRight') to = at === null ? 0 : Math.min(end, at + stride);
  else if (key === 'Home') to = 0;
  else if (key === 'End') to = end;
  else if (key === 'Escape' && at !== null) {
    plot.setCursor({ left: -10, top: -10 });
    return true;
  } else return false;
  plot.setCursor({ left: plot.valToPos(places[to]!, 'x'), top: plot.over.clientHeight / 2 });
  return true;
}
