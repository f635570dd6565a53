import { useEffect, useSyncExternalStore } from 'react';

/** Number of open dialogs with a password that can be shown only once. */
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

/** Postpones the dialog to sign in again while `isShown`: it would cover a password that can't be shown again. */
export function usePostponedSignIn(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return undefined;
    countDialogs(1);
    return () => countDialogs(-1);
  }, [isShown]);
}

/** Whether the dialog to sign in again must wait until another dialog is closed. */
export const useIsSignInPostponed = (): boolean => useSyncExternalStore(subscribe, () => openDialogs > 0);
