import { useRef, useState } from 'preact/hooks';
import type { Decision } from '../api/types';
import { actionName } from '../logic/explain';
import { clock, number, plural, shortId } from '../logic/format';
import type { Rule } from '../logic/spec';
import { ExplanationPanel } from './explanation_panel';

interface Props {
  name: string;
  recent: Decision[];
  rule: Rule;
  selected: string | null;
  select: (id: string) => void;
}

// Rows that stand still: `firm` until the reader resumes, otherwise only while pointed at or focused.
interface Hold {
  rows: Decision[];
  firm: boolean;
}

export function Decisions({ name, recent, rule, selected, select }: Props) {
  const [hold, setHold] = useState<Hold | null>(null);
  const panel = useRef<HTMLElement>(null);
  const shown = hold?.rows ?? recent;
  const newest = shown[0]?.seq ?? 0;
  const newer = recent.filter(({ seq }) => seq > newest).length;
  const steady = () => setHold((before) => before ?? { rows: recent, firm: false });
  const release = () => setHold((before) => (before?.firm ? before : null));
  const choose = (id: string) => {
    select(id);
    setHold((before) => ({ rows: before?.rows ?? recent, firm: true }));
    const reduced = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    panel.current?.scrollIntoView({ block: 'nearest', behavior: reduced ? 'auto' : 'smooth' });
  };
  return (
    <section aria-labelledby="decisions-title">
      <div class="section-head">
        <h2 id="decisions-title">Last decisions</h2>
        <div class="hold">
          <span class="hold-note">{hold && newer > 0 ? holdNote(newer, recent.length) : ''}</span>
          <button type="button" class="quiet" onClick={() => setHold(hold?.firm ? null : { rows: shown, firm: true })}>
            {hold?.firm ? 'Resume' : 'Hold'}
          </button>
        </div>
      </div>
      <div class="split decisions-split">
        <div
          class="card table-card"
          onPointerEnter={(event) => event.pointerType === 'mouse' && steady()}
          onPointerLeave={release}
          onFocusIn={steady}
          onFocusOut={release}
        >
          <DecisionTable decisions={refreshed(shown, recent)} selected={selected} choose={choose} />
        </div>
        <ExplanationPanel panel={panel} name={name} id={selected} rule={rule} latest={recent.find(({ event_id: id }) => id === selected)} />
      </div>
    </section>
  );
}

function holdNote(newer: number, all: number): string {
  return newer >= all ? `${all} or more are newer` : plural(newer, 'is newer', 'are newer');
}

// Held rows keep their places, but their rewards still arrive.
function refreshed(shown: Decision[], recent: Decision[]): Decision[] {
  const fresh = new Map(recent.map((decision) => [decision.event_id, decision]));
  return shown.map((decision) => fresh.get(decision.event_id) ?? decision);
}

interface TableProps {
  decisions: Decision[];
  selected: string | null;
  choose: (id: string) => void;
}

// One stop for the Tab key; arrows, Home and End move among the rows.
function DecisionTable({ decisions, selected, choose }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const move = (event: KeyboardEvent) => {
    const buttons = [...body.current!.querySelectorAll<HTMLButtonElement>('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(buttons.length - 1, to))]!.focus();
  };
  const stop = decisions.some(({ event_id: id }) => id === selected) ? selected : decisions[0]?.event_id;
  return (
    <table class="decisions">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Event</th>
          <th scope="col">Action</th>
          <th scope="col" class="figure wide-only">Mean</th>
          <th scope="col" class="figure wide-only">sd</th>
          <th scope="col" class="figure wide-only">Upper</th>
          <th scope="col">Status</th>
          <th scope="col" class="figure">Reward</th>
        </tr>
      </thead>
      <tbody ref={body} onKeyDown={move}>
        {decisions.map((decision) => (
          <DecisionRow
            key={decision.event_id}
            decision={decision}
            selected={decision.event_id === selected}
            stop={decision.event_id === stop}
            choose={choose}
          />
        ))}
        {decisions.length === 0 && (
          <tr>
            <td colSpan={8} class="nothing">
              No decisions yet
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

interface RowProps {
  decision: Decision;
  selected: boolean;
  stop: boolean;
  choose: (id: string) => void;
}

function DecisionRow({ decision, selected, stop, choose }: RowProps) {
  const { event_id: id, time, mean, sd, upper, status, reward } = decision;
  return (
    <tr class={selected ? 'selected' : ''} onClick={() => choose(id)}>
      <td class="clock">{clock(time)}</td>
      <td class="event">
        <button type="button" tabIndex={stop ? 0 : -1} aria-pressed={selected} aria-label={id} title={id}>
          {shortId(id)}
        </button>
      </td>
      <td class="action" title={actionName(decision)}>
        {decision.id ?? decision.index}<span class="of"> of {decision.candidates}</span>
      </td>
      <td class="figure wide-only">{number(mean, 3)}</td>
      <td class="figure wide-only">{number(sd, 3)}</td>
      <td class="figure wide-only">{number(upper, 3)}</td>
      <td class="status">
        <span class={`dot ${status}`} aria-hidden="true" />
        {status}
      </td>
      <td class="figure">{number(reward, 3)}</td>
    </tr>
  );
}
