import type { Words } from '../en.js';

export const imports: Words['imports'] = {
  title: 'Importe',
};
