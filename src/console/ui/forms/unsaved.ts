import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { addGuard, confirmLeaving, isLatestGuard } from './guards.js';

/** Tab in the URL: a change of the tab hides the form. */
const tabOf = (search: object): unknown => ('tab' in search ? search.tab : undefined);

/**
 * Asks before unsaved changes are lost by a link, by closing the browser tab, or by signing out. Other changes of the URL,
 * such as sorting a list on the page, ask nothing.
 * @param message the question; by default about unsaved changes
 */
export function useUnsavedGuard(isDirty: boolean, message?: string): void {
  const { t } = useTranslation();
  const id = useId();
  const question = message ?? t('state.unsaved');
  useEffect(() => (isDirty ? addGuard(id, question) : undefined), [isDirty, id, question]);
  useBlocker({
    shouldBlockFn({ current, next }) {
      const leaves = current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search);
      return leaves && isLatestGuard(id) && !confirmLeaving();
    },
    enableBeforeUnload: () => isDirty,
    disabled: !isDirty,
  });
}
