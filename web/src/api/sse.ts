// Server-sent events out of a stream of text, cut anywhere. A comment counts as a sign of life, not as an event.

export interface ServerEvent {
  type: string;
  data: string;
}

export class EventParser {
  private rest = '';
  private type = '';
  private data: string[] = [];

  // The events completed by this piece of text.
  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    // A lone carriage return at the end may be the first half of a line end.
    const all = this.rest + text;
    const lines = all.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') this.finish(events);
      else this.field(line);
    }
    return events;
  }

  private finish(events: ServerEvent[]): void {
    if (this.data.length > 0) events.push({ type: this.type || 'message', data: this.data.join('\n') });
    this.type = '';
    this.data = [];
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'event') this.type = value;
    else if (name === 'data') this.data.push(value);
  }
}
