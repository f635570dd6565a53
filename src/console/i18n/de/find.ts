import type { Translations } from '../en/translations.js';

export const find: Translations['find'] = {
  title: 'Suchen',
  label: 'Name, Kurs oder Seite',
  results: 'Ergebnisse',
  count_one: '{{count}} Ergebnis',
  count_other: '{{count}} Ergebnisse',
  group: { people: 'Personen', courses: 'Kurse', actions: 'Aktionen', pages: 'Seiten' },
  action: {
    requests: 'Anfragen beantworten',
    newPerson: 'Neue Person',
    import: 'Personen importieren',
    newCourse: 'Neuer Kurs',
  },
};
