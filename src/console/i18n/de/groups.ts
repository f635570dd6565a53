import type { Translations } from '../en/translations.js';

export const groups: Translations['groups'] = {
  title: 'Gruppen',
  hint: 'Klassen, Abteilungen oder Jahrgänge: zum Filtern, und um alle zusammen in Kurse aufzunehmen.',
  search: 'Gruppen suchen',
  none: 'Es gibt noch keine Gruppen. Lege hier eine an, oder importiere Personen mit einer Spalte „Gruppe“.',
  new: 'Neue Gruppe',
  edit: 'Bearbeiten',
  members: 'Aktive Mitglieder',
  count_one: '{{members}} aktives Mitglied',
  count_other: '{{members}} aktive Mitglieder',
  name: 'Name der Gruppe',
  note: 'Notiz (freiwillig)',
  actionsOf: 'Aktionen für {{name}}',
  gone: 'Diese Gruppe gibt es nicht. Vielleicht wurde sie gelöscht.',
  delete: 'Gruppe löschen',
  deleteAsk: '{{name}} löschen?',
  deleteHint_one:
    '{{members}} aktives Mitglied verlässt die Gruppe. Konten und Teilnahmen bleiben. Das lässt sich nicht rückgängig machen.',
  deleteHint_other:
    '{{members}} aktive Mitglieder verlassen die Gruppe. Konten und Teilnahmen bleiben. Das lässt sich nicht rückgängig machen.',
  deleted: '{{name}} wurde gelöscht.',
  add: {
    action: 'Personen aufnehmen',
    title: 'Personen aufnehmen: {{name}}',
    search: 'Personen suchen',
    people: 'Personen',
    unknown_one: 'Zu dieser E-Mail gibt es kein Konto. Berichtige sie, oder lege die Person zuerst an.',
    unknown_other:
      'Zu diesen {{count}} E-Mails gibt es keine Konten. Berichtige sie, oder lege die Personen zuerst an.',
  },
};
