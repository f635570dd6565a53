import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** Asks before a page with changes that aren't saved is left, by a link as by closing the tab. */
export function useUnsavedGuard(isDirty: boolean): void {
  const { t } = useTranslation();
  useBlocker({
    shouldBlockFn: () => isDirty && !window.confirm(t('state.unsaved')),
    enableBeforeUnload: () => isDirty,
    disabled: !isDirty,
  });
}
