import i18next from 'i18next';
import { call } from '../api/client.js';
import type { Language } from '../i18n/i18n.js';

/** Mails to who has signed in, and has chosen no language, come in that of the page. @throws ApiError */
export async function keepMailLanguage(): Promise<void> {
  const [mail, chosen] = await Promise.all([call('showForgotPassword', {}), call('showMailPreferences', {})]);
  // No other language is ever set.
  const language = i18next.language as Language;
  if (!mail.available || chosen.language !== null || language === 'ar-XB') return;
  await call('changeMailPreferences', { body: { language } });
}
