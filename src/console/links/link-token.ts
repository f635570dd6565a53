import { useSyncExternalStore } from 'react';

/** Whether the URL belongs to a page of public-pages.tsx, which needs no session. */
export const isPublicPage = (): boolean =>
  /^\/((set|forgot)-password|(confirm|cancel)-email|certificates(\/[^/]*)?)$/.test(window.location.pathname);

/** Token of a mailed link. Only in memory: not in the address bar, request URLs, logs or storage of the browser. */
let token = '';
const listeners = new Set<() => void>();

/** Sets the token of another link; empty after its use. */
export function setToken(next: string): void {
  token = next;
  for (const tell of listeners) tell();
}

/** Reads the token, and removes it from the address bar and the history of this tab. */
function readTokenFromUrl(): void {
  const { pathname, hash } = window.location;
  if (hash === '' || !isPublicPage()) return;
  window.history.replaceState(null, '', pathname);
  setToken(hash.slice(1));
}

/** Reads the token now, and whenever another link is put into the address bar. */
export function watchLinkTokens(): void {
  readTokenFromUrl();
  window.addEventListener('hashchange', readTokenFromUrl);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Token of the last opened or pasted link; empty without a link, such as after a reload. */
export const useLinkToken = (): string => useSyncExternalStore(subscribe, () => token);
