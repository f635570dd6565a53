import type { Words } from '../en.js';

export const courses: Words['courses'] = {
  title: 'Kurse',
  status: {
    pending: 'Angefragt',
    active: 'Nimmt teil',
    completed: 'Abgeschlossen',
    cancelled: 'Abgesagt',
  },
};
