import { useTranslation } from 'react-i18next';
import { usePostponedSignIn } from '../app/postponed-sign-in.js';
import { useUnsavedGuard } from '../ui/unsaved.js';

/** For dialogs with passwords that are shown once: neither leaving the page nor the end of the session takes them away unasked. */
export function useShownOnce(isShown: boolean): void {
  const { t } = useTranslation();
  useUnsavedGuard(isShown, t('people.passwordLost'));
  usePostponedSignIn(isShown);
}
