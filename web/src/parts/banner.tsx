interface Props {
  kind: 'warning' | 'note';
  title: string;
  text?: string;
}

export function Banner({ kind, title, text }: Props) {
  return (
    <div class={`banner ${kind}`} role={kind === 'warning' ? 'alert' : 'note'}>
      <svg class="banner-sign" viewBox="0 0 20 20" aria-hidden="true">
        {kind === 'warning' ? <path d="M10 2 19 18H1zM10 8v5M10 15v1" /> : <path d="M10 1.5a8.5 8.5 0 1 0 .01 0zM10 9v5M10 6v1" />}
      </svg>
      <div>
        <strong>{title}</strong>
        {text && <p>{text}</p>}
      </div>
    </div>
  );
}
