import { useState } from 'preact/hooks';

// A command to copy. Browsers give pages the clipboard only over https or on this machine.
export function Command({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="command">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      {'clipboard' in navigator && (
        <button type="button" onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      )}
    </div>
  );
}
