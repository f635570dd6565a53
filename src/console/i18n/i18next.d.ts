import 'i18next';
import type { Translations } from './en/translations.js';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Translations };
    returnNull: false;
  }
}
