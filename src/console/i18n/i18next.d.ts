import 'i18next';
import type { Words } from './en/words.js';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Words };
    returnNull: false;
  }
}
