import type { Words } from '../en.js';

export const courses: Words['courses'] = {
  title: 'Kurse',
};
