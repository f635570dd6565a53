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
  mails: {
    title: 'E-Mails',
    hint: 'Du bekommst eine E-Mail, wenn das geschieht. E-Mails zur Sicherheit deines Kontos kommen immer.',
    kind: {
      enrolled: 'Jemand hat dich in einen Kurs aufgenommen',
      accepted: 'Deine Anfrage ist angenommen',
      refused: 'Deine Anfrage ist abgelehnt, oder dein Platz ist abgesagt',
      completed: 'Du hast einen Kurs abgeschlossen',
      requests: 'Jemand fragt einen Platz in deinen Kursen an',
    },
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
