import type { Translations } from '../en/translations.js';

export const groups: Translations['groups'] = {
  title: 'Gruppen',
  hint: 'Klassen, Abteilungen oder Jahrgänge: zum Filtern, und um alle zusammen in Kurse aufzunehmen.',
  search: 'Gruppen suchen',
  none: 'Es gibt noch keine Gruppen. Lege hier eine an, oder importiere Personen mit einer Spalte „Gruppe“.',
  new: 'Neue Gruppe',
  edit: 'Bearbeiten',
  lastSync: 'Letzter Abgleich',
  held: 'Abgleich angehalten',
  former_one: '{{count}} früheres Mitglied',
  former_other: '{{count}} frühere Mitglieder',
  heldText_one:
    'Nach {{file}} vom {{time}} würde {{count}} von {{members}} Mitgliedern die Gruppe verlassen; erlaubt sind {{limit}}. Nichts wurde geändert.',
  heldText_other:
    'Nach {{file}} vom {{time}} würden {{count}} von {{members}} Mitgliedern die Gruppe verlassen; erlaubt sind {{limit}}. Nichts wurde geändert.',
  heldNext: 'Datei hochladen, um sie zu prüfen und freizugeben',
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
