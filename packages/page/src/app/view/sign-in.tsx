import { useEffect, useRef, useState } from 'preact/hooks';
import { signIn } from '../data/session.js';

/** Asks for a token. It is kept for this tab only. */
export const SignIn = ({ message }: { readonly message: string | null }) => {
  const [fault, setFault] = useState(message);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setFault(message), [message]);
  useEffect(() => input.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const token = input.current?.value.trim() ?? '';
    if (token === '') return setFault('Enter a token.');
    setBusy(true);
    try {
      await signIn(token);
    } catch {
      setFault('The server does not answer. Try again in a moment.');
    }
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <h1>Sign in</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input
          ref={input}
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="token-help"
          aria-invalid={fault !== null}
        />
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      <p id="token-help" class="quiet">
        <code>npm start</code> prints a token; <code>mq token create</code> makes one that only reads. It
        stays in this tab and is forgotten when you close it.
      </p>
    </main>
  );
};
