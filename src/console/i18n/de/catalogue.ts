import type { Translations } from '../en/translations.js';

export const catalogue: Translations['catalogue'] = {
  title: 'Kursangebot',
  search: 'Kurse suchen',
  empty: 'Es gibt keine laufenden oder kommenden Kurse.',
  order: 'Reihenfolge',
  sort: {
    soonest: 'Nächste zuerst',
    '-createdAt': 'Neueste zuerst',
    title: 'Nach Titel',
  },
  onlyFree: 'Nur mit freien Plätzen',
  back: 'Alle Kurse',
  browse: 'Kurs finden',
  addToCalendar: 'In den Kalender',
  addToCalendarOf: 'In den Kalender: {{name}}',
  withdrawn: 'Dieser Kurs ist nicht mehr veröffentlicht. Du siehst hier nur noch deinen Platz.',
  card: {
    until: 'Anfragen bis {{day}}',
    closed: 'Keine Anfragen mehr',
  },
  place: {
    title: 'Dein Platz',
    notes: 'Nachricht an die Kursleitung (freiwillig)',
    ask: {
      auto: 'Platz sichern',
      request: 'Platz anfragen',
    },
    next: {
      auto: 'Du bekommst den Platz sofort, ohne Antwort der Kursleitung.',
      request: 'Die Kursleitung nimmt deine Anfrage an oder lehnt sie ab.',
    },
    again: 'Du kannst noch einmal anfragen.',
    full: 'Alle Plätze sind belegt. Schau später noch einmal nach: Vielleicht wird einer frei.',
    ended: 'Der Kurs endete am {{day}}. Du kannst keinen Platz mehr anfragen.',
    closed: 'Anfragen waren nur bis {{day}} möglich.',
    unpublished: 'Für diesen Kurs kannst du zurzeit keinen Platz anfragen.',
    enrolledAt: 'Seit {{time}}',
    completedAt: 'Abgeschlossen {{time}}',
    over: 'Der Kurs endete am {{day}}.',
    confirmed: 'Die Kursleitung muss noch bestätigen, dass du den Kurs abgeschlossen hast.',
  },
  waiting: {
    offer: 'Alle Plätze sind belegt. Du kannst dich auf die Warteliste setzen. Bisher warten: {{count}}.',
    full: 'Alle Plätze sind belegt, und auch die Warteliste ist voll. Schau später noch einmal nach.',
    join: 'Auf die Warteliste setzen',
    place: 'Du bist Nummer {{place}} auf der Warteliste.',
    next: {
      auto: 'Wird ein Platz frei, bekommt ihn sofort die nächste Person auf der Liste.',
      request:
        'Wird ein Platz frei, ist er für die nächste Person auf der Liste reserviert. Die Kursleitung beantwortet dann ihre Anfrage.',
      unpublished: 'Der Kurs ist zurzeit nicht veröffentlicht. Solange rückt niemand nach.',
      ended: 'Der Kurs ist zu Ende. Es rückt niemand mehr nach.',
    },
  },
  status: {
    pending: 'Du hast einen Platz angefragt. Die Kursleitung hat noch nicht geantwortet.',
    waiting: 'Du stehst auf der Warteliste.',
    active: 'Du nimmst an diesem Kurs teil.',
    completed: 'Du hast diesen Kurs abgeschlossen.',
    cancelled: 'Dein Platz wurde abgesagt oder deine Anfrage abgelehnt.',
  },
  cancelReason: {
    left: 'Du hast selbst abgesagt.',
    refused: 'Deine Anfrage wurde abgelehnt.',
    removed: 'Die Kursleitung oder die Verwaltung hat deinen Platz abgesagt.',
    roster: 'Du stehst nicht mehr in der Liste dieses Kurses.',
  },
  message: {
    own: 'Deine Nachricht',
    ownOn: 'Deine Nachricht, {{day}}',
    reply: 'Antwort von {{name}}, {{day}}',
    administration: 'der Verwaltung',
  },
  leave: {
    pending: {
      action: 'Anfrage zurückziehen',
      title: 'Deine Anfrage zurückziehen?',
      hint: 'Dein Platz wird für andere frei.',
      done: 'Deine Anfrage ist zurückgezogen.',
    },
    waiting: {
      action: 'Warteliste verlassen',
      title: 'Die Warteliste verlassen?',
      hint: 'Du verlierst deine Nummer. Alle hinter dir rücken vor.',
      done: 'Du stehst nicht mehr auf der Warteliste.',
    },
    active: {
      action: 'Kurs verlassen',
      title: 'Diesen Kurs verlassen?',
      hint: 'Dein Platz wird für andere frei, und du siehst die Unterlagen nicht mehr. Dein Fortschritt bleibt gespeichert.',
      done: 'Dein Platz ist abgesagt.',
    },
    again: {
      place: 'Solange Plätze frei sind, kannst du noch einmal anfragen.',
      waiting: 'Wenn du dich wieder auf die Warteliste setzt, stehst du ganz hinten.',
      never: 'Der Kurs nimmt zurzeit keine Anfragen an, auch keine neue von dir.',
    },
  },
  own: {
    empty: 'Du hast noch keine Kurse.',
    since: '{{trainer}} · seit {{day}}',
    completed: '{{trainer}} · abgeschlossen {{day}}',
  },
};
