import type { Words } from '../en/words.js';

export const overview: Words['overview'] = {
  day: {
    today: 'Heute ist im Programm der {{day}} ({{timeZone}}).',
    missing:
      'Tage beginnen und enden in der Zeitzone {{timeZone}}: Für das Programm ist keine gewählt. Wer den Server betreibt, setzt TIME_ZONE, etwa auf Europe/Berlin.',
  },
  mail: {
    paused: 'Es geht keine E-Mail hinaus: {{reason}}',
    failed_one: '{{count}} E-Mail ist in den letzten drei Tagen gescheitert: {{reason}}',
    failed_other: '{{count}} E-Mails sind in den letzten drei Tagen gescheitert, die letzte: {{reason}}',
    open: 'E-Mails zeigen',
  },
  title: 'Übersicht',
  all: 'Alle anzeigen',
  requestsWaiting: 'Offene Anfragen',
  answerRequests_one: '{{count}} Anfrage beantworten',
  answerRequests_other: '{{count}} Anfragen beantworten',
  first: {
    title: 'Erste Schritte',
    import: 'Personen aus einer Tabelle importieren',
    importHint:
      'Das Beispiel ist eine Datei mit 40 Personen, examples/trainees.csv. Du siehst zuerst, was ein Import tun würde: Geschrieben wird erst, wenn du ihn bestätigst.',
    example: 'Import des Beispiels planen',
    ownFile: 'Eigene Datei importieren',
    download: 'Beispiel herunterladen',
    demo: 'In einem Beispielprogramm umsehen',
    demoHint:
      'Legt 3 Kursleitungen, 12 Kurse, 200 Teilnehmende und ihre Teilnahmen an. Alle haben dasselbe öffentliche Passwort. Das ist nur zum Ausprobieren und fehlt im Produktivbetrieb.',
    load: 'Beispielprogramm laden',
  },
  demo: {
    title: 'Das Beispielprogramm ist geladen',
    accounts:
      'Melde dich als {{accounts}} oder als eine der teilnehmenden Personen an, am besten in einem privaten Fenster, um zu sehen, was sie sehen.',
    trainees: 'Teilnehmende anzeigen',
    password: 'Passwort aller Beispielkonten',
  },
  people: {
    total: 'Konten',
    inactive: 'Inaktiv',
    initialPassword: 'Erstes Passwort',
    locked: 'Gesperrt',
  },
  roles: {
    trainee: 'Teilnehmende',
    trainer: 'Kursleitungen',
    super_admin: 'Super-Admins',
  },
  courses: {
    total: 'Kurse',
    published: 'Veröffentlicht',
    unpublished: 'Nicht veröffentlicht',
  },
  requests: {
    title: 'Anfragen nach Kurs',
    none: 'Keine Anfrage wartet auf Antwort.',
  },
  weeks: {
    title: 'Die letzten 12 Wochen',
    description: 'Diagramm der letzten 12 Wochen. Dieselben Zahlen stehen in der Tabelle.',
    shownAs: 'Darstellung',
    chart: 'Diagramm',
    table: 'Tabelle',
    week: 'Woche ab',
    enrollments: 'Neue Teilnahmen',
    accounts: 'Neue Konten',
  },
  imports: {
    title: 'Letzte Importe',
    open: 'Alle Importe',
    none: 'Noch wurde nichts importiert.',
    file: 'Datei',
    created: 'Angelegt',
    rejected: 'Abgelehnt',
    at: 'Begonnen',
  },
  storage: {
    title: 'Gespeicherte Dateien',
    total_one: '{{count}} Datei, {{size}}',
    total_other: '{{count}} Dateien, {{size}}',
    kind: 'Art',
    files: 'Dateien',
    size: 'Größe',
    material: 'Kursmaterial',
    thumbnail: 'Kursbilder',
    avatar: 'Profilbilder',
  },
};
