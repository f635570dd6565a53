import { useSyncExternalStore } from 'react';

/** Whether the address is one of public-pages.tsx: mailed links open them, some with a token as fragment, or nobody is signed in. */
export const isPublicPage = (): boolean =>
  /^\/((set|forgot)-password|(confirm|cancel)-email|certificates(\/[^/]*)?)$/.test(window.location.pathname);

/** In memory alone: no address bar, request URL, log or storage of the browser has it. */
let token = '';
const listeners = new Set<() => void>();

/** Goes on with another link; with none when it was used. */
export function setToken(next: string): void {
  token = next;
  for (const tell of listeners) tell();
}

/** Takes the token out of the address bar, and out of the history of this tab. */
function readTokenFromUrl(): void {
  const { pathname, hash } = window.location;
  if (hash === '' || !isPublicPage()) return;
  window.history.replaceState(null, '', pathname);
  setToken(hash.slice(1));
}

/** At once, and when another link is put into the address bar of a page that is open. */
export function watchLinkTokens(): void {
  readTokenFromUrl();
  window.addEventListener('hashchange', readTokenFromUrl);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The token of the link that was opened or pasted last; empty without one, as after the page was loaded again. */
export const useLinkToken = (): string => useSyncExternalStore(subscribe, () => token);
