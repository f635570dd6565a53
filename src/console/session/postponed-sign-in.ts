import { useEffect, useSyncExternalStore } from 'react';

/** Number of open dialogs with a password that can be shown only once. */
let openDialogs = 0;
const listeners = new Set<() => void>();

function changeOpenDialogs(change: 1 | -1): void {
  openDialogs += change;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Postpones the dialog to sign in again while `isPasswordShown` is true. The dialog would cover a password that can't be
 * shown again.
 */
export function usePostponeSignIn(isPasswordShown: boolean): void {
  useEffect(() => {
    if (!isPasswordShown) return undefined;
    changeOpenDialogs(1);
    return () => changeOpenDialogs(-1);
  }, [isPasswordShown]);
}

/** Whether the dialog to sign in again must wait, because a dialog with such a password is open. */
export const useIsSignInPostponed = (): boolean => useSyncExternalStore(subscribe, () => openDialogs > 0);
