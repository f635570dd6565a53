import type { Translations } from '../en/translations.js';

export const overview: Translations['overview'] = {
  day: {
    today: 'Heute ist der {{day}} (Zeitzone {{timeZone}}).',
    missing:
      'Es ist keine Zeitzone eingestellt. Tage beginnen und enden deshalb nach der Zeitzone {{timeZone}}. Die IT kann TIME_ZONE setzen, etwa auf Europe/Berlin.',
  },
  mail: {
    paused: 'Zurzeit werden keine E-Mails gesendet: {{reason}}',
    failed_one: '{{count}} E-Mail ist in den letzten drei Tagen fehlgeschlagen: {{reason}}',
    failed_other: '{{count}} E-Mails sind in den letzten drei Tagen fehlgeschlagen, die letzte: {{reason}}',
    open: 'E-Mails anzeigen',
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
      'Das Beispiel ist eine Datei mit 40 Personen, examples/trainees.csv. Du siehst zuerst einen Plan. Der Import beginnt erst, wenn du ihn bestätigst.',
    example: 'Import des Beispiels planen',
    ownFile: 'Eigene Datei importieren',
    download: 'Beispiel herunterladen',
    demo: 'In einem Beispielprogramm umsehen',
    demoHint:
      'Legt 3 Kursleitungen, 12 Kurse, 200 Teilnehmende und ihre Teilnahmen an. Alle haben dasselbe öffentliche Passwort. Nur zum Ausprobieren: Im echten Betrieb gibt es das nicht.',
    load: 'Beispielprogramm laden',
  },
  demo: {
    title: 'Das Beispielprogramm ist geladen',
    accounts:
      'Öffne ein privates Fenster und melde dich dort als {{accounts}} oder als Teilnehmer:in an. So siehst du deren Ansicht.',
    trainees: 'Teilnehmende anzeigen',
    password: 'Passwort aller Beispielkonten',
  },
  people: {
    total: 'Konten',
    inactive: 'Inaktiv',
    initialPassword: 'Startpasswort',
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
    none: 'Keine Anfrage wartet auf eine Antwort.',
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
    none: 'Es wurde noch nichts importiert.',
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
    material: 'Unterlagen',
    thumbnail: 'Kursbilder',
    avatar: 'Profilbilder',
  },
};
