import type { Words } from '../en/words.js';

export const profile: Words['profile'] = {
  image: 'Profilbild',
  account: {
    title: 'Konto',
    emailHint: 'Nur ein Super-Admin kann sie ändern.',
    changeEmail: 'Auf deiner Seite unter „Personen“ ändern',
    required: 'Das darf nicht leer sein.',
  },
  password: {
    title: 'Passwort',
    hint: 'Ein neues Passwort beendet alle deine anderen Sitzungen.',
    submit: 'Passwort ändern',
    changed: 'Das Passwort ist geändert, und deine anderen Sitzungen sind beendet.',
  },
  sessions: {
    title: 'Sitzungen',
    list: 'Wo du angemeldet bist',
    client: 'Browser oder Programm',
    unknown: 'Unbekanntes Gerät',
    current: 'Diese Sitzung',
    ip: 'Adresse',
    createdAt: 'Angemeldet',
    lastUsedAt: 'Zuletzt benutzt',
    expiresAt: 'Läuft ab',
    actions: 'Aktionen',
    end: 'Beenden',
    endOne: 'Die Sitzung beenden, die {{time}} begann',
    endTitle: 'Diese Sitzung beenden?',
    endHint: 'Dort musst du dich neu anmelden: {{client}}.',
    ended: 'Die Sitzung ist beendet.',
    endOthers: 'Alle anderen beenden',
    endOthersTitle: 'Alle anderen Sitzungen beenden?',
    endOthersHint: 'Überall außer hier musst du dich neu anmelden.',
    othersEnded: 'Alle anderen Sitzungen sind beendet.',
  },
};
