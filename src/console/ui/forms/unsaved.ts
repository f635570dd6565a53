import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { addGuard, confirmLeaving, isLatestGuard } from './guards.js';

/** The tab that an address opens: a form of another one isn't shown there. */
const tabOf = (search: object): unknown => ('tab' in search ? search.tab : undefined);

/**
 * Asks before a page with changes that aren't saved is left, by a link, by closing the tab or by signing out. It isn't left by
 * a change of how a list on it is shown, which the address has, too.
 * @param message what would be lost; changes, when it isn't given
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
