import type { Words } from '../en/words.js';

export const catalogue: Words['catalogue'] = {
  title: 'Kursangebot',
  search: 'Kurse suchen',
  empty: 'Es gibt noch keine Kurse.',
  order: 'Reihenfolge',
  sort: {
    '-createdAt': 'Neue zuerst',
    title: 'Nach Titel',
    startDate: 'Nach Beginn',
  },
  onlyFree: 'Nur mit freien Plätzen',
  back: 'Alle Kurse',
  browse: 'Kurs finden',
  addToCalendar: 'In den Kalender',
  withdrawn: 'Dieser Kurs ist nicht mehr veröffentlicht. Du siehst hier nur noch deinen Platz.',
  place: {
    title: 'Dein Platz',
    hint: 'Die Kursleitung nimmt deine Anfrage an oder lehnt sie ab.',
    notes: 'Nachricht an die Kursleitung (freiwillig)',
    yourNotes: 'Nachricht: {{notes}}',
    ask: 'Platz anfragen',
    asked: 'Deine Anfrage ist abgeschickt.',
    full: 'In diesem Kurs ist kein Platz mehr frei. Schau später noch einmal nach: Vielleicht wird einer frei.',
    closed: 'Für diesen Kurs kannst du zurzeit keinen Platz anfragen.',
    enrolledAt: 'Seit {{time}}',
    completedAt: 'Abgeschlossen {{time}}',
    cancel: 'Anfrage zurückziehen',
    cancelTitle: 'Anfrage zurückziehen?',
    cancelHint: 'Dein Platz wird für andere frei. Solange Plätze frei sind, kannst du noch einmal anfragen.',
    leave: 'Kurs verlassen',
    leaveTitle: 'Diesen Kurs verlassen?',
    leaveHint:
      'Dein Platz wird für andere frei, und du siehst die Unterlagen nicht mehr. Dein Fortschritt bleibt gespeichert.',
    cancelledNow: 'Dein Platz ist abgesagt.',
  },
  own: {
    empty: 'Du hast noch keine Kurse.',
    since: '{{trainer}} · seit {{day}}',
    completed: '{{trainer}} · abgeschlossen {{day}}',
  },
};
