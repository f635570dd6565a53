import { type ImportField, importFields } from '../../../schemas/import.js';
import { headingKey, headingWords, longestKnown, words } from './headings.js';

/**
 * The headings of spreadsheets and other programs for each column, the likelier first: of two in a file, the first is used.
 * Case, accents, spaces and punctuation don't count. English, German, French, Spanish, Portuguese, Arabic; then the
 * exports of Moodle, Canvas, Google Contacts and Google Workspace. Words that often mean something else are missing: "Note"
 * is a grade in half of these languages, "Clave" is more often a number than a password.
 */
export const headerAliases: Readonly<Record<ImportField, readonly string[]>> = {
  firstName: words(
    'Given name | Forename | First names | Given names | Forenames | Christian name | First | FName',
    'Vorname | Vornamen | Rufname',
    'Prénom | Prénoms | Prénom(s)',
    'Nombre | Nombres | Nombre(s) | Primer nombre | Nombre de pila',
    'Nome | Primeiro nome | Nome próprio',
    'الاسم الأول | الإسم الأول | اسم الأول | الاسم الشخصي',
  ),
  lastName: words(
    'Surname | Family name | Last names | Surnames | Family names | Last | LName',
    'Nachname | Familienname | Zuname | Nachnamen',
    'Nom de famille | Nom | Noms',
    'Apellidos | Apellido | Apellido(s) | Primer apellido',
    'Sobrenome | Apelido | Último nome | Sobrenomes | Apelidos',
    'اسم العائلة | إسم العائلة | الاسم الأخير | الاسم الاخير | الإسم الأخير | اللقب | الكنية | العائلة',
  ),
  email: words(
    'Email address | E-mail addresses | Mail | Mail address | Primary email | Contact email | Work email',
    'Email ID | Email (work) | Personal email | Home email',
    'E-Mail-Adresse | Mailadresse | Emailadresse | Elektronische Adresse',
    'Courriel | Adresse e-mail | Adresse mail | Adresse courriel | Adresse électronique | Mél',
    'Correo electrónico | Correo | Dirección de correo electrónico | Dirección de correo | Dirección de e-mail',
    'Endereço de e-mail | Correio eletrônico | Correio electrónico | Endereço eletrônico',
    'البريد الإلكتروني | البريد الالكتروني | بريد إلكتروني | الإيميل | الايميل | إيميل | البريد',
    'E-mail 1 - Value | login_id | Email 1 | E-mail 2 - Value | Email 2',
  ),
  // Mobiles, then phones of no kind, of recovery, of work and at home.
  phone: words(
    'Mobile | Mobile phone | Mobile number | Mobile phone number | Mobile no. | Cell | Cell phone | Cellphone',
    'Cell number | Cell phone number | Phone (mobile) | WhatsApp | WhatsApp number',
    'Handy | Handynummer | Mobil | Mobilnummer | Mobiltelefon | Téléphone portable | Téléphone mobile | Portable',
    'Teléfono móvil | Móvil | Celular | Teléfono celular | Número de celular',
    'Telemóvel | Telefone celular | Telefone móvel | Número de telemóvel',
    'الجوال | رقم الجوال | جوال | الموبايل | رقم الموبايل | موبايل | المحمول | رقم المحمول | الهاتف المحمول',
    'رقم الهاتف المحمول',
    'Phone number | Telephone | Telephone number | Tel | Tel. no. | Phone no. | Contact number | Contact no.',
    'Primary phone | Contact phone | Telefon | Telefonnummer | Rufnummer | Téléphone | Numéro de téléphone',
    'N° de téléphone | Teléfono | Número de teléfono | Telefone | Número de telefone',
    'الهاتف | رقم الهاتف | هاتف | التليفون | رقم التليفون | رقم التواصل',
    'Phone 1 - Value | Phone 2 - Value | Phone 3 - Value | Recovery Phone',
    'Work phone | Work phone number | Work mobile | Office phone | Business phone | Telefon geschäftlich | Diensttelefon',
    'Téléphone professionnel | Téléphone bureau | Teléfono del trabajo | Telefone do trabalho | هاتف العمل',
    'Home phone | Home phone number | Landline | Telefon privat | Festnetz | Festnetznummer | Téléphone fixe',
    'Téléphone domicile | Teléfono fijo | Teléfono de casa | Telefone fixo | Telefone residencial | هاتف المنزل',
  ),
  role: words(
    "User role | Account role | Role name | Rolle | Benutzerrolle | Rôle | Rôle de l'utilisateur | Rol",
    'Rol de usuario | Papel | Função do usuário | الدور | دور المستخدم | دور',
  ),
  isActive: words(
    'Active | Enabled | Is enabled | Account active | Active? | Aktiv | Ist aktiv | Actif | Est actif',
    'Activo | Está activo | Ativo | Está ativo | نشط | فعال | مفعل | Account enabled | Enabled user',
    'New status | Account status | User status | Attendee status | Status',
  ),
  password: words(
    'Initial password | Pass word | Passwort | Kennwort | Mot de passe | Contraseña | Senha',
    'Palavra-passe | كلمة المرور | كلمة السر',
  ),
  passwordHash: words(
    'Hashed password | bcrypt | bcrypt hash | Password digest | Encrypted password | Passwort-Hash',
    'Hash du mot de passe | Hash de contraseña | Hash da senha | تجزئة كلمة المرور',
  ),
  course: words(
    'Course title | Course name | Course ID | Course code | Kurs | Kursname | Kurstitel | Lehrgang',
    'Cours | Intitulé du cours | Nom du cours | Formation | Curso | Nombre del curso | Nome do curso',
    'الدورة | اسم الدورة | المقرر | اسم المقرر | الكورس',
  ),
  enrollmentStatus: words(
    'Enrolment status | Course status | Enrollment state | Einschreibestatus',
    "Anmeldestatus | Kursstatus | Statut d'inscription | État de l'inscription | Estado de inscripción",
    'Estado de la inscripción | Estado de matrícula | Estado da inscrição | Status da matrícula',
    'Estado da matrícula | حالة التسجيل | حالة الالتحاق',
  ),
  notes: words(
    'Comment | Comments | Remark | Remarks | Notiz | Notizen | Bemerkung | Bemerkungen',
    'Anmerkung | Anmerkungen | Kommentar | Kommentare | Remarque | Remarques | Commentaire | Commentaires',
    'Notas | Comentario | Comentarios | Observación | Observaciones | Observação | Observações',
    'Comentário | Comentários | ملاحظات | ملاحظة | تعليق | تعليقات',
  ),
  fullName: words(
    'Name | Complete name | Display name | Person name | Names',
    'First and last name | First name and surname | Vollständiger Name | Vor- und Nachname | Ganzer Name',
    'Last name, first name | Last name first name | Surname and first name | Nachname, Vorname | Nachname und Vorname',
    'Name, Vorname | Name und Vorname | Nom, prénom | Nom et prénoms | Apellidos y nombre | Apellidos y nombres',
    'Apellido y nombre | Apellidos, nombre',
    'Nom complet | Nom et prénom | Prénom et nom | Nombre completo | Nombre y apellidos | Nombre y apellido',
    'Nome completo | Nome e sobrenome | الاسم الكامل | الإسم الكامل | الاسم | الإسم | الاسم الرباعي',
    'الاسم الثلاثي',
  ),
  suspended: words(
    'Is suspended | Account suspended | User suspended | Gesperrt | Ist gesperrt | Suspendu | Est suspendu',
    'Suspendido | Está suspendido | Suspenso | Está suspenso | موقوف | Block sign in | Block credential | Blocked',
    'Disabled | Account disabled | Deactivated',
  ),
};

/** What a heading means. */
export interface Meaning {
  field: ImportField;
  /** The lower, the likelier; below 0 where the heading says that it is about the learner. */
  rank: number;
}

/** Fields that may have several columns, which spreadsheets number. */
export const isRepeatable = (field: ImportField): field is 'phone' | 'course' | 'isActive' =>
  field === 'phone' || field === 'course' || field === 'isActive';

/** What programs write beside a heading. */
const annotation =
  /\[[^\]]*\]|\((required|optional|yes ?\/ ?no|pflichtfeld|obligatoire|obligatorio|obrigatório|مطلوب)\)|\*|(?<=\S\s)(required|optional|pflichtfeld|obligatoire|obligatorio|obrigatório)\s*$/giu;

const numbered = /^(.*\D)\s*(\d{1,2})$/u;

/** What a heading usually means: by its name, without a program's annotations, or with a number where there are several. */
export function meaningOf(heading: string): Meaning | undefined {
  if (heading.length > longestKnown) return undefined;
  const known = knownByKey.get(headingKey(heading));
  if (known) return known;
  const name = heading.replace(annotation, ' ').trim();
  const [, base = '', number] = numbered.exec(name) ?? [];
  const plain = knownByKey.get(headingKey(number === undefined ? name : base));
  if (plain === undefined) return learnersMeaning(name);
  if (number !== undefined && !isRepeatable(plain.field)) return undefined;
  return { ...plain, rank: plain.rank + Number(number ?? 0) / 100 };
}

const learner = new RegExp(
  ` (${words(
    'students? | learners? | trainees? | participants? | pupils? | child | attendee | schulers? | schulerin | teilnehmers?',
    'teilnehmerin | teilnehmenden | eleve | etudiant | participante? | alumno | estudiante | aluno | estudante | الطالب | المتدرب',
  ).join('|')})(?= )`,
  'gu',
);
const connectors = / (s|des|der|de|du|del|do|da|of|the|la|le|l)(?= )/gu;

/** "Student Email", "Email of the participant": beside them, an address without such a heading may be a parent's. */
function learnersMeaning(name: string): Meaning | undefined {
  const text = headingWords(name);
  const about = text.replace(learner, '');
  const known = about === text ? undefined : knownByKey.get(headingKey(about.replace(connectors, '')));
  const isPersonal = known !== undefined && /^(firstName|lastName|fullName|email|phone)$/.test(known.field);
  return isPersonal ? { field: known.field, rank: known.rank - 1000 } : undefined;
}

const knownByKey: ReadonlyMap<string, Meaning> = namesByKey();

function namesByKey() {
  const names = new Map<string, Meaning>();
  for (const field of importFields) {
    [field, ...headerAliases[field]].forEach((name, rank) => {
      const key = headingKey(name);
      if (!names.has(key)) names.set(key, { field, rank });
    });
  }
  return names;
}

/** Headings of passwords that have no column of their own, by their keys. */
const secretHeading = /pass|pwd|kennwort|contrasena|senha|secret|geheim|motde|hash|token|كلمةالمرور|كلمةالسر/;
/** Hashes as other programs export them, and long hexadecimal texts. */
const secretCell = /^\s*(\$[\w-]{1,20}\$|\{[\w-]{2,12}\}|pbkdf2|[\da-f]{32,}\s*$)/i;

/** Whether the cells of a column may be passwords, whatever it is mapped to. @param field what it is mapped to */
export function isSecretColumn({ heading, field }: { heading: string; field: ImportField | null }): boolean {
  const key = headingKey(heading);
  const usual = meaningOf(heading)?.field;
  return [field, usual].some((one) => one === 'password' || one === 'passwordHash') || secretHeading.test(key);
}

/** Whether a cell is a hash, under any heading. */
export const isSecretCell = (cell: string): boolean => secretCell.test(cell);
