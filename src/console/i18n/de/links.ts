import type { Words } from '../en/words.js';

export const links: Words['links'] = {
  missing: 'Öffne den Link in deiner E-Mail, oder füge ihn hier ein. Beim Neuladen vergisst ihn diese Seite.',
  invalid: 'Dieser Link gilt nicht mehr',
  invalidHint: 'Er wurde schon benutzt, seine Zeit ist um, oder das Konto hat sich seitdem geändert.',
  other: 'Dieser Link ist für etwas anderes',
  otherHint: 'Öffne ihn in deiner E-Mail: Dort führt er zur richtigen Seite.',
  paste: 'Link',
  pasteHint: 'Der ganze Link, wie er in der E-Mail steht.',
  noToken: 'Das ist kein Link aus einer E-Mail, oder nicht der ganze. Kopiere den ganzen Link.',
  use: 'Diesen Link benutzen',
  renew: 'Neuen Link anfordern',
  tooMany: 'Aus deinem Netz kamen zu viele Anfragen. Versuche es {{when}} noch einmal.',
  setPassword: 'Passwort setzen',
  welcome: 'Willkommen, {{name}}',
  hello: 'Hallo {{name}}',
  choose: 'Wähle ein Passwort für dein Konto {{email}}. Dieser Link gilt bis {{when}}.',
  done: 'Dein Passwort ist gesetzt',
  doneHint: 'Melde dich damit an.',
  forgot: 'Kein Passwort, oder vergessen?',
  forgotHint: 'Sag, wer du bist: Ein Link, mit dem du ein Passwort setzt, geht an die E-Mail-Adresse deines Kontos.',
  send: 'Link schicken',
  sent: 'Schau in dein Postfach',
  sentHint:
    'Wenn es ein Konto mit dieser E-Mail-Adresse oder Telefonnummer gibt, ist ein Link an seine E-Mail-Adresse unterwegs. Er gilt nur kurz.',
  nothingArrives:
    'Nach ein paar Minuten noch nichts? Schau in den Spam-Ordner, oder gib E-Mail oder Telefon noch einmal ein. Auch wer das Programm leitet, kann helfen.',
  again: 'Noch einmal eingeben',
  noMail: 'Hier lassen sich Passwörter nicht per E-Mail setzen. Wer das Programm leitet, kann dir ein neues geben.',
  back: 'Zurück zur Anmeldung',
};
