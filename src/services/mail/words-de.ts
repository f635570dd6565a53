import type { MailWords } from './layout.js';

const hello = ({ firstName }: { firstName: string }) => `Guten Tag ${firstName},`;
const request = (count: number) => (count === 1 ? '1 Anfrage' : `${count} Anfragen`);

/** Mails in German. */
export const de: MailWords = {
  locale: 'de-DE',
  turnOff: 'Solche Mails im Profil abschalten',
  letters: {
    invitation: (content, { programme, day }) => ({
      subject: `Ihr Konto bei ${programme}`,
      greeting: hello(content),
      before: [
        `${programme} hat ein Konto für Sie angelegt. Bitte wählen Sie ein Passwort, damit es losgehen kann.`,
        ...(content.message === null ? [] : [`Eine Nachricht von ${programme}:`, { quoted: content.message }]),
      ],
      button: { label: 'Passwort wählen', link: content.link },
      after: [
        `Bitte tun Sie das vor dem ${day(content.expiresAt)}; der Link gilt nur einmal. Wenn er nicht mehr gilt, bitten Sie ${programme} um einen neuen.`,
        'Danach melden Sie sich mit dieser Adresse an:',
        { quoted: content.email },
        'Wenn Sie nicht wissen, worum es geht, können Sie diese Mail ignorieren.',
      ],
    }),
    reset: (content, { programme, moment }) => ({
      subject: `Neues Passwort für ${programme}`,
      greeting: hello(content),
      before: [
        `mit diesem Link wählen Sie ein neues Passwort für Ihr Konto bei ${programme}. Sie selbst oder die Administration haben darum gebeten.`,
      ],
      button: { label: 'Neues Passwort wählen', link: content.link },
      after: [
        `Der Link gilt bis ${moment(content.expiresAt)} und nur einmal.`,
        'Wenn Sie kein neues Passwort brauchen, können Sie diese Mail ignorieren: Ohne den Link ändert sich nichts. Geben Sie ihn bitte nicht weiter.',
      ],
    }),
    'email-confirm': (content, { programme, moment }) => ({
      subject: `Bitte bestätigen Sie Ihre Adresse für ${programme}`,
      greeting: 'Guten Tag,',
      before: [
        `jemand möchte diese Adresse für ein Konto bei ${programme} verwenden. Wenn Sie das sind, bestätigen Sie sie bitte.`,
      ],
      button: { label: 'Adresse bestätigen', link: content.link },
      after: [
        `Der Link gilt bis ${moment(content.expiresAt)}. Sobald Sie bestätigt haben, melden Sie sich mit dieser Adresse an.`,
        'Wenn Sie es nicht waren, ignorieren Sie diese Mail bitte: Ohne den Link ändert sich nichts.',
      ],
    }),
    'email-notice': (content, { programme, moment }) => ({
      subject: `Ihre Adresse für ${programme} soll geändert werden`,
      greeting: hello(content),
      before: [
        `Ihr Konto bei ${programme} soll eine neue Adresse bekommen:`,
        { quoted: content.newEmail },
        'Wenn Sie das waren, öffnen Sie die Mail, die wir dorthin geschickt haben. Hier müssen Sie nichts tun.',
        'Wenn Sie es nicht waren, brechen Sie die Änderung bitte ab:',
      ],
      button: { label: 'Änderung abbrechen', link: content.link },
      after: [
        `Der Link gilt bis ${moment(content.expiresAt)}, auch wenn die neue Adresse dann schon verwendet wird. Er gibt Ihrem Konto diese Adresse zurück, beendet alle Sitzungen und entfernt das Passwort; danach bekommen Sie eine Mail, um ein neues zu wählen.`,
      ],
    }),
    'email-changed': (content, { programme }) => ({
      subject: `Ihre Adresse für ${programme} wurde geändert`,
      greeting: hello(content),
      before: [
        `die Administration hat die Adresse Ihres Kontos bei ${programme} geändert. Sie ist jetzt:`,
        { quoted: content.newEmail },
        'Bitte melden Sie sich von nun an mit dieser Adresse an.',
        `Wenn Sie nicht wissen, warum, fragen Sie bitte bald die Administration von ${programme}.`,
      ],
    }),
    'password-changed': (content, { programme, publicUrl }) => ({
      subject: `Ihr Passwort für ${programme} wurde geändert`,
      greeting: hello(content),
      before: [
        `das Passwort Ihres Kontos bei ${programme} wurde geändert. Wenn Sie das waren, müssen Sie nichts tun.`,
        'Wenn Sie es nicht waren, fordern Sie bitte sofort auf der Anmeldeseite ein neues Passwort an. Sobald Sie es gewählt haben, enden alle Sitzungen Ihres Kontos.',
      ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
      after: [`Wenn das nicht geht, sagen Sie der Administration von ${programme} Bescheid.`],
    }),
    'role-transferred': (content, { programme, publicUrl }) => ({
      subject: content.isNew
        ? `Sie sind jetzt Super-Admin von ${programme}`
        : `Sie sind nicht mehr Super-Admin von ${programme}`,
      greeting: hello(content),
      before: content.isNew
        ? [
            `die Rechte des Super-Admins von ${programme} sind von ${content.other} auf Sie übergegangen. Sie verwalten jetzt alle Personen und Kurse.`,
            `Wenn Sie das nicht erwartet haben, sprechen Sie bitte mit ${content.other}.`,
          ]
        : [
            `die Rechte des Super-Admins von ${programme} sind von Ihnen auf ${content.other} übergegangen.`,
            `Wenn Sie das nicht wollten, sagen Sie sofort ${content.other} und denen Bescheid, die den Server betreiben, und ändern Sie Ihr Passwort.`,
          ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
    }),
    test: (_content, { programme, publicUrl }) => ({
      subject: `Testmail von ${programme}`,
      greeting: 'Guten Tag,',
      before: [
        `die Administration von ${programme} wollte wissen, ob Mails ankommen. Diese ist angekommen.`,
        'Bitte prüfen Sie, ob der Link die Anmeldeseite öffnet:',
      ],
      button: { label: 'Zur Anmeldeseite', link: publicUrl },
      after: ['Wenn Sie diese Mail nicht erwartet haben, können Sie sie ignorieren.'],
    }),
    enrolled: (content, { programme, courseLink }) => ({
      subject: `Sie haben einen Platz in „${content.course}“`,
      greeting: hello(content),
      before: [`Sie haben einen Platz im Kurs „${content.course}“ von ${programme}.`],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    accepted: (content, { programme, courseLink }) => ({
      subject: `Angenommen: Ihre Anfrage für „${content.course}“`,
      greeting: hello(content),
      before: [
        `gute Nachrichten von ${programme}: Ihre Anfrage wurde angenommen. Sie haben einen Platz in „${content.course}“.`,
      ],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    refused: (content, { programme, courseLink }) => ({
      subject: `Ihre Anfrage für „${content.course}“`,
      greeting: hello(content),
      before: [
        `leider kann ${programme} Ihnen keinen Platz in „${content.course}“ geben.`,
        ...(content.reply === null ? [] : ['Die Antwort auf Ihre Anfrage:', { quoted: content.reply }]),
      ],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    completed: (content, { programme, courseLink }) => ({
      subject: `Sie haben „${content.course}“ abgeschlossen`,
      greeting: hello(content),
      before: [`herzlichen Glückwunsch! Sie haben den Kurs „${content.course}“ von ${programme} abgeschlossen.`],
      button: { label: 'Kurs öffnen', link: courseLink(content.courseId) },
    }),
    requests: (content, { programme, publicUrl }) => ({
      subject: `${programme}: Anfragen warten auf Ihre Antwort`,
      greeting: hello(content),
      before: [
        'diese Anfragen nach Plätzen in Ihren Kursen warten auf Ihre Antwort:',
        { list: content.courses.map(({ title, count }) => `${title}: ${request(count)}`) },
        ...(content.more === 0 ? [] : [`In weiteren Ihrer Kurse (${content.more}) gibt es auch Anfragen.`]),
      ],
      button: { label: 'Anfragen beantworten', link: `${publicUrl}/enrollments?status=pending` },
    }),
  },
};
