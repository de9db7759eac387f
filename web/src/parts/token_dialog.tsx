import { useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../api/client';

interface Props {
  refusal: ApiError;
  hadToken: boolean;
  submit: (token: string) => void;
}

export function TokenDialog({ refusal, hadToken, submit }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    input.current?.focus();
  }, []);
  const send = (event: Event) => {
    event.preventDefault();
    const token = input.current!.value.trim();
    if (token) submit(token);
  };
  // Without a token there is nothing behind the dialog to go back to.
  const stay = (event: Event) => event.preventDefault();
  return (
    <dialog ref={dialog} class="token" aria-labelledby="token-title" onCancel={stay}>
      <form onSubmit={send}>
        <h2 id="token-title">A token is needed</h2>
        <p>
          This service asks for a token with the role <code>read</code>. <code>ridgerunner token --role read</code> makes one. It is
          kept until this tab is closed.
        </p>
        {hadToken && (
          <p class="token-refused" role="alert">
            {refusal.status === 403 ? 'This token does not have the role' : 'This token was refused'}: {refusal.message}
          </p>
        )}
        <label for="token-input">Token</label>
        <input id="token-input" ref={input} type="password" autocomplete="off" spellcheck={false} required />
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </dialog>
  );
}
