import type { MailTemplates } from './layout.js';

const greeting = ({ firstName }: { firstName: string }) => `Hallo ${firstName},`;
const request = (count: number) => (count === 1 ? '1 Anfrage' : `${count} Anfragen`);

const replyParagraphs = ({ reply }: { reply: string | null }, words: string) =>
  reply === null ? [] : [words, { quoted: reply }];
const messageIntro = 'Eine Nachricht für dich:';
const replyIntro = 'Die Antwort auf deine Anfrage:';

/** Returns how to use the link of an invitation. @param day day of the link's end */
const passwordHints = (day: string, email: string) => [
  `Wähle es bitte vor dem ${day}. Der Link gilt nur einmal. Einen neuen bekommst du auf der Anmeldeseite: „Kein Passwort oder vergessen?“`,
  'Danach meldest du dich mit dieser Adresse an:',
  { quoted: email },
];

export const de: MailTemplates = {
  locale: 'de-DE',
  turnOffLabel: 'Solche E-Mails im Profil abschalten',
  letters: {
    invitation: (content, { programme, publicUrl, dateText }) => ({
      subject: `Dein Konto bei ${programme}`,
      greeting: greeting(content),
      before: [
        content.signInWith === null
          ? `${programme} hat ein Konto für dich angelegt. Wähle bitte ein Passwort, damit es losgehen kann.`
          : `${programme} hat ein Konto für dich angelegt. Du brauchst kein Passwort: Melde dich mit ${content.signInWith} an.`,
        ...(content.message === null ? [] : [`Eine Nachricht von ${programme}:`, { quoted: content.message }]),
      ],
      button:
        content.signInWith === null
          ? { label: 'Passwort wählen', link: content.link }
          : { label: 'Anmeldeseite öffnen', link: `${publicUrl}/sign-in` },
      after: [
        ...(content.signInWith === null ? passwordHints(dateText(content.expiresAt), content.email) : []),
        'Wenn du mit dieser E-Mail nichts anfangen kannst, ignoriere sie einfach.',
      ],
    }),
    reset: (content, { programme, durationText }) => ({
      subject: `Neues Passwort für ${programme}`,
      greeting: greeting(content),
      before: [
        `mit diesem Link wählst du ein neues Passwort für dein Konto bei ${programme}. Du selbst oder die Verwaltung hat den Link angefordert.`,
      ],
      button: { label: 'Neues Passwort wählen', link: content.link },
      after: [
        `Der Link gilt ab dem Versand dieser E-Mail ${durationText(content.lifetimeMs)} lang und nur einmal.`,
        'Wenn du kein neues Passwort brauchst, kannst du diese E-Mail ignorieren: Ohne den Link ändert sich nichts. Gib ihn bitte nicht weiter.',
      ],
    }),
    'email-confirm': (content, { programme, durationText }) => ({
      subject: `Bestätige bitte deine Adresse für ${programme}`,
      greeting: 'Hallo,',
      before: [
        `jemand möchte diese Adresse für ein Konto bei ${programme} verwenden. Wenn du das warst, bestätige sie bitte.`,
      ],
      button: { label: 'Adresse bestätigen', link: content.link },
      after: [
        `Der Link gilt ab dem Versand dieser E-Mail ${durationText(content.lifetimeMs)} lang. Sobald du bestätigt hast, meldest du dich mit dieser Adresse an.`,
        'Wenn du es nicht warst, ignoriere diese E-Mail bitte: Ohne den Link ändert sich nichts.',
      ],
    }),
    'email-notice': (content, { programme, durationText }) => ({
      subject: `Deine Adresse für ${programme} soll geändert werden`,
      greeting: greeting(content),
      before: [
        `dein Konto bei ${programme} soll eine neue Adresse bekommen:`,
        { quoted: content.newEmail },
        'Wenn du das warst, öffne die E-Mail, die wir dorthin geschickt haben. Hier musst du nichts tun.',
        'Wenn du es nicht warst, brich die Änderung bitte ab:',
      ],
      button: { label: 'Änderung abbrechen', link: content.link },
      after: [
        `Der Link gilt ab dem Versand dieser E-Mail ${durationText(content.lifetimeMs)} lang, auch wenn die neue Adresse dann schon verwendet wird. Wenn du abbrichst, hat dein Konto wieder diese Adresse. Alle Sitzungen enden, und das Passwort wird entfernt. Danach bekommst du eine E-Mail mit einem Link für ein neues Passwort.`,
      ],
    }),
    'email-changed': (content, { programme }) => ({
      subject: `Deine Adresse für ${programme} wurde geändert`,
      greeting: greeting(content),
      before: [
        `die Verwaltung hat die Adresse deines Kontos bei ${programme} geändert. Sie ist jetzt:`,
        { quoted: content.newEmail },
        'Melde dich von nun an bitte mit dieser Adresse an.',
        `Wenn du nicht weißt, warum, frag bitte bald die Verwaltung von ${programme}.`,
      ],
    }),
    'password-changed': (content, { programme, publicUrl }) => ({
      subject: `Dein Passwort für ${programme} wurde geändert`,
      greeting: greeting(content),
      before: [
        `das Passwort deines Kontos bei ${programme} wurde geändert. Wenn du das warst, musst du nichts tun.`,
        'Wenn du es nicht warst, fordere bitte sofort auf der Anmeldeseite ein neues Passwort an. Sobald du es gewählt hast, enden alle Sitzungen deines Kontos.',
      ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
      after: [`Wenn das nicht geht, sag bitte der Verwaltung von ${programme} Bescheid.`],
    }),
    'role-transferred': (content, { programme, publicUrl }) => ({
      subject: content.isNew
        ? `Du bist jetzt Super-Admin von ${programme}`
        : `Du bist nicht mehr Super-Admin von ${programme}`,
      greeting: greeting(content),
      before: content.isNew
        ? [
            `die Rechte des Super-Admins von ${programme} sind von ${content.other} auf dich übergegangen. Du verwaltest jetzt alle Personen und Kurse.`,
            `Wenn du das nicht erwartet hast, sprich bitte mit ${content.other}.`,
          ]
        : [
            `die Rechte des Super-Admins von ${programme} sind von dir auf ${content.other} übergegangen.`,
            `Wenn du das nicht wolltest, sag sofort ${content.other} und der IT Bescheid und ändere dein Passwort.`,
          ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
    }),
    'sync-held': (content, { publicUrl }) => ({
      subject: `Die Liste von „${content.group}“ wurde nicht abgeglichen`,
      greeting: greeting(content),
      before: [
        `nach der Datei ${content.file} würden ${content.leaving} von ${content.members} Mitgliedern die Gruppe „${content.group}“ verlassen. Das sind mehr, als die Gruppe erlaubt. Deshalb wurde nichts geändert.`,
        'Bitte prüfe die Datei. Wenn sie stimmt, lade sie unter „Importe“ mit „Gruppe abgleichen“ hoch: Der Plan nennt diese Personen, und du kannst ihn dort freigeben.',
        `Im Terminal gibst du ihn so frei: --allow-leaving ${content.leaving}`,
      ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
      after: ['Bis ein Abgleich gelingt, bekommst du keine weitere E-Mail zu dieser Gruppe.'],
    }),
    test: (_content, { programme, publicUrl }) => ({
      subject: `Test-E-Mail von ${programme}`,
      greeting: 'Hallo,',
      before: [
        `die Verwaltung von ${programme} hat diese Test-E-Mail gesendet. Sie ist angekommen.`,
        'Prüfe bitte, ob der Link die Anmeldeseite öffnet:',
      ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
      after: ['Wenn du diese E-Mail nicht erwartet hast, kannst du sie ignorieren.'],
    }),
    enrolled: (content, { programme, courseLink }) => ({
      subject: `Du hast einen Platz in „${content.course}“`,
      greeting: greeting(content),
      before: [
        `du hast einen Platz im Kurs „${content.course}“ von ${programme}.`,
        ...replyParagraphs(content, messageIntro),
      ],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    accepted: (content, { programme, courseLink }) => ({
      subject: `Angenommen: deine Anfrage für „${content.course}“`,
      greeting: greeting(content),
      before: [
        `gute Nachrichten von ${programme}: Deine Anfrage wurde angenommen. Du hast einen Platz in „${content.course}“.`,
        ...replyParagraphs(content, replyIntro),
      ],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    moved_up: (content, { programme, courseLink }) => ({
      subject: content.isPending ? `Nachgerückt: „${content.course}“` : `Du hast einen Platz in „${content.course}“`,
      greeting: greeting(content),
      before: [
        content.isPending
          ? `gute Nachrichten von ${programme}: In „${content.course}“ ist ein Platz frei geworden und für dich reserviert. Deine Anfrage liegt jetzt bei der Kursleitung.`
          : `gute Nachrichten von ${programme}: Du bist von der Warteliste nachgerückt und hast einen Platz in „${content.course}“.`,
      ],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
      after: ['Wenn du den Platz nicht mehr brauchst, gib ihn dort bitte frei: Vielleicht wartet noch jemand.'],
    }),
    refused: (content, { programme, courseLink }) => ({
      subject: `Deine Anfrage für „${content.course}“`,
      greeting: greeting(content),
      before: [
        `leider kann ${programme} dir keinen Platz in „${content.course}“ geben.`,
        ...replyParagraphs(content, replyIntro),
      ],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    completed: (content, { programme, courseLink, certificateLink }) => ({
      subject: `Du hast „${content.course}“ abgeschlossen`,
      greeting: greeting(content),
      before: [
        `herzlichen Glückwunsch! Du hast den Kurs „${content.course}“ von ${programme} abgeschlossen.`,
        ...replyParagraphs(content, messageIntro),
      ],
      button:
        content.certificate === null
          ? { label: 'Kurs öffnen', link: courseLink(content.courseId) }
          : { label: 'Zertifikat öffnen', link: certificateLink(content.certificate) },
    }),
    requests: (content, { programme, publicUrl }) => ({
      subject: `${programme}: Anfragen warten auf deine Antwort`,
      greeting: greeting(content),
      before: [
        'in deinen Kursen warten Anfragen auf deine Antwort:',
        { list: content.courses.map(({ title, count }) => `${title}: ${request(count)}`) },
        ...(content.more === 0
          ? []
          : [
              content.more === 1
                ? 'Auch in einem weiteren deiner Kurse gibt es Anfragen.'
                : `Auch in ${content.more} weiteren deiner Kurse gibt es Anfragen.`,
            ]),
      ],
      button: { label: 'Anfragen beantworten', link: `${publicUrl}/enrollments?status=pending` },
    }),
  },
};
