import { useEffect, useId } from 'react';
import { addLoss } from './guards.js';

/**
 * Asks before unsaved input is lost by leaving the page.
 * @param fields labels of the changed fields, which the question names
 */
export function useUnsavedGuard(isDirty: boolean, fields: readonly string[]): void {
  const id = useId();
  const names = JSON.stringify(fields);
  useEffect(() => (isDirty ? addLoss(id, { fields: JSON.parse(names) as string[] }) : undefined), [isDirty, id, names]);
}

/**
 * Asks before the page is left during an action, or while it shows a password that is shown once.
 * @param consequence says in a sentence what is lost
 */
export function useLossGuard(isActive: boolean, consequence: string): void {
  const id = useId();
  useEffect(() => (isActive ? addLoss(id, { consequence }) : undefined), [isActive, id, consequence]);
}
