import { useEffect, useSyncExternalStore } from 'react';

/** Dialogs that show what the service gives only once. */
let openDialogs = 0;
const listeners = new Set<() => void>();

function countDialogs(change: 1 | -1): void {
  openDialogs += change;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Postpones the form to sign in again while `isShown`: it would cover a password that can't be shown a second time. */
export function usePostponedSignIn(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return undefined;
    countDialogs(1);
    return () => countDialogs(-1);
  }, [isShown]);
}

/** Whether the form to sign in again has to wait until a dialog is closed. */
export const useIsSignInPostponed = (): boolean => useSyncExternalStore(subscribe, () => openDialogs > 0);
