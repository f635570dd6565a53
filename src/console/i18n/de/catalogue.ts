import type { Words } from '../en.js';

export const catalogue: Words['catalogue'] = {
  title: 'Kursangebot',
};
