import type { Words } from '../en.js';

export const profile: Words['profile'] = {
  title: 'Profil',
};
