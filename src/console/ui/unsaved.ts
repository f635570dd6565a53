import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/**
 * Asks before a page with changes that aren't saved is left, by a link as by closing the tab.
 * @param message what would be lost; changes, when it isn't given
 */
export function useUnsavedGuard(isDirty: boolean, message?: string): void {
  const { t } = useTranslation();
  useBlocker({
    shouldBlockFn: () => isDirty && !window.confirm(message ?? t('state.unsaved')),
    enableBeforeUnload: () => isDirty,
    disabled: !isDirty,
  });
}
