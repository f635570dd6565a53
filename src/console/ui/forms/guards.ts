import { useSyncExternalStore } from 'react';

/** Something that is lost when the page is left. */
export type Loss =
  /** Labels of fields with unsaved input. */
  | { fields: readonly string[] }
  /** Says in a sentence what is lost, such as a password that is shown once. */
  | { consequence: string };

/** Question whether to leave the page. */
export interface LeaveQuestion {
  losses: readonly Loss[];
  answer(leaves: boolean): void;
}

/** Losses by the id of their component, in the order of their appearance. */
const losses = new Map<string, Loss>();
let question: LeaveQuestion | undefined;
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Adds a loss to ask about before the page is left. @returns a function that removes it */
export function addLoss(id: string, loss: Loss): () => void {
  losses.set(id, loss);
  notify();
  return () => {
    losses.delete(id);
    notify();
  };
}

export const hasLosses = (): boolean => losses.size > 0;

/** Whether something is lost when the page is left now. */
export const useHasLosses = (): boolean => useSyncExternalStore(subscribe, hasLosses);

/** Open question; undefined without a question. */
export const useLeaveQuestion = (): LeaveQuestion | undefined => useSyncExternalStore(subscribe, () => question);

/** Asks the user whether to leave the page, if something would be lost. @returns whether to leave */
export function confirmLeaving(): Promise<boolean> {
  if (!hasLosses()) return Promise.resolve(true);
  // The user answers the open question first.
  if (question) return Promise.resolve(false);
  return new Promise((resolve) => {
    question = {
      losses: [...losses.values()],
      answer(leaves) {
        question = undefined;
        notify();
        resolve(leaves);
      },
    };
    notify();
  });
}
