import type { Words } from '../en.js';

export const audit: Words['audit'] = {
  title: 'Protokoll',
};
