import type { ImportField } from '../../../../schemas/import.js';
import { splitList } from './headings.js';
import type { RowCode } from './row-codes.js';

interface ImportFieldRules {
  /** Name in messages; null for secret fields, and for fields that messages call by their heading. */
  label: string | null;
  /** Codes of a row with an invalid value, and of a row without a required value. */
  invalid: RowCode;
  missing?: RowCode;
  /**
   * Headings in spreadsheets and in exports of other programs, the likelier first. If a file has two of them, the import reads
   * the column of the first. Case, accents, spaces and punctuation don't count. English, German, French, Spanish, Portuguese, Arabic; then exports of
   * Moodle, Canvas, Google Contacts and Google Workspace. Ambiguous words are left out: "Note" is a grade in half of these
   * languages, "Clave" is more often a number than a password.
   */
  headings: readonly string[];
}

export const importFieldRules: Readonly<Record<ImportField, ImportFieldRules>> = {
  firstName: {
    label: 'First name',
    invalid: 'NAME_INVALID',
    missing: 'NAME_MISSING',
    headings: splitList(
      'Given name | Forename | First names | Given names | Forenames | Christian name | First | FName',
      'Vorname | Vornamen | Rufname',
      'Prénom | Prénoms | Prénom(s)',
      'Nombre | Nombres | Nombre(s) | Primer nombre | Nombre de pila',
      'Nome | Primeiro nome | Nome próprio',
      'الاسم الأول | الإسم الأول | اسم الأول | الاسم الشخصي',
    ),
  },
  lastName: {
    label: 'Last name',
    invalid: 'NAME_INVALID',
    missing: 'NAME_MISSING',
    headings: splitList(
      'Surname | Family name | Last names | Surnames | Family names | Last | LName',
      'Nachname | Familienname | Zuname | Nachnamen',
      'Nom de famille | Nom | Noms',
      'Apellidos | Apellido | Apellido(s) | Primer apellido',
      'Sobrenome | Apelido | Último nome | Sobrenomes | Apelidos',
      'اسم العائلة | إسم العائلة | الاسم الأخير | الاسم الاخير | الإسم الأخير | اللقب | الكنية | العائلة',
    ),
  },
  email: {
    label: 'Email',
    invalid: 'EMAIL_INVALID',
    missing: 'EMAIL_MISSING',
    headings: splitList(
      'Email address | E-mail addresses | Mail | Mail address | Primary email | Contact email | Work email',
      'Email ID | Email (work) | Personal email | Home email',
      'E-Mail-Adresse | Mailadresse | Emailadresse | Elektronische Adresse',
      'Courriel | Adresse e-mail | Adresse mail | Adresse courriel | Adresse électronique | Mél',
      'Correo electrónico | Correo | Dirección de correo electrónico | Dirección de correo | Dirección de e-mail',
      'Endereço de e-mail | Correio eletrônico | Correio electrónico | Endereço eletrônico',
      'البريد الإلكتروني | البريد الالكتروني | بريد إلكتروني | الإيميل | الايميل | إيميل | البريد',
      'E-mail 1 - Value | login_id | Email 1 | E-mail 2 - Value | Email 2',
    ),
  },
  // Mobile phones, then unspecified phones, recovery phones, work phones and home phones.
  phone: {
    label: 'Phone',
    invalid: 'PHONE_INVALID',
    headings: splitList(
      'Mobile | Mobile phone | Mobile number | Mobile phone number | Mobile no. | Cell | Cell phone | Cellphone',
      'Cell number | Cell phone number | Phone (mobile) | WhatsApp | WhatsApp number',
      'Handy | Handynummer | Telefon (mobil) | Mobil | Mobilnummer | Mobiltelefon | Téléphone portable | Téléphone mobile | Portable',
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
      'Home phone | Home phone number | Landline | Telefon privat | Telefon (privat) | Festnetz | Festnetznummer | Téléphone fixe',
      'Téléphone domicile | Teléfono fijo | Teléfono de casa | Telefone fixo | Telefone residencial | هاتف المنزل',
    ),
  },
  role: {
    label: 'Role',
    invalid: 'ROLE_UNKNOWN',
    headings: splitList(
      "User role | Account role | Role name | Rolle | Benutzerrolle | Rôle | Rôle de l'utilisateur | Rol",
      'Rol de usuario | Papel | Função do usuário | الدور | دور المستخدم | دور',
    ),
  },
  isActive: {
    label: 'isActive',
    invalid: 'IS_ACTIVE_UNKNOWN',
    headings: splitList(
      'Active | Enabled | Is enabled | Account active | Active? | Aktiv | Ist aktiv | Actif | Est actif',
      'Activo | Está activo | Ativo | Está ativo | نشط | فعال | مفعل | Account enabled | Enabled user',
      'New status | Account status | User status | Attendee status | Status | Employee status | Employment status',
      'Kontostatus | Benutzerstatus | Mitarbeiterstatus | Statut du compte | Estado de la cuenta | Status da conta',
      'حالة الحساب',
    ),
  },
  language: {
    label: 'Language',
    invalid: 'TEXT_INVALID',
    headings: splitList(
      'Preferred language | Language of mails | User language | Lang | Locale | Sprache | Bevorzugte Sprache',
      'Langue | Langue préférée | Idioma | Idioma preferido | Língua | اللغة | لغة',
    ),
  },
  password: {
    label: null,
    invalid: 'PASSWORD_INVALID',
    headings: splitList(
      'Initial password | Pass word | Passwort | Kennwort | Mot de passe | Contraseña | Senha',
      'Palavra-passe | كلمة المرور | كلمة السر',
    ),
  },
  passwordHash: {
    label: null,
    invalid: 'PASSWORD_HASH_INVALID',
    headings: splitList(
      'Hashed password | bcrypt | bcrypt hash | Password digest | Encrypted password | Passwort-Hash',
      'Hash du mot de passe | Hash de contraseña | Hash da senha | تجزئة كلمة المرور',
    ),
  },
  course: {
    label: 'Course',
    invalid: 'COURSE_INVALID',
    headings: splitList(
      'Course title | Course name | Course ID | Course code | Kurs | Kursname | Kurstitel | Lehrgang',
      'Cours | Intitulé du cours | Nom du cours | Formation | Curso | Nombre del curso | Nome do curso',
      'الدورة | اسم الدورة | المقرر | اسم المقرر | الكورس',
    ),
  },
  enrollmentStatus: {
    label: 'Enrollment status',
    invalid: 'ENROLLMENT_STATUS_UNKNOWN',
    headings: splitList(
      'Enrolment status | Course status | Enrollment state | Einschreibestatus',
      "Anmeldestatus | Kursstatus | Statut d'inscription | État de l'inscription | Estado de inscripción",
      'Estado de la inscripción | Estado de matrícula | Estado da inscrição | Status da matrícula',
      'Estado da matrícula | حالة التسجيل | حالة الالتحاق',
    ),
  },
  // The trainee reads the reply. A column of notes is never a reply, because notes are often about the trainee.
  reply: {
    label: 'Reply',
    invalid: 'TEXT_INVALID',
    headings: splitList(
      'Reply to the trainee | Reply to trainee | Message to the trainee | Message to trainee | Message to trainees',
      'Message for the trainee | Message to the participant | Message to participant | Message to participants',
      'Message to the student | Message to student | Message to students | Message to the learner',
      'Nachricht an den Teilnehmer | Nachricht an die Teilnehmerin | Nachricht an Teilnehmer | Nachricht an Teilnehmer/in',
      'Nachricht an Teilnehmende | Nachricht an die Teilnehmenden | Nachricht an die Teilnehmer | Nachricht an Lernende',
      'Antwort an den Teilnehmer | Antwort an die Teilnehmerin | Antwort an Teilnehmer | Antwort an Teilnehmende',
      "Message au stagiaire | Message au participant | Message aux participants | Message à l'apprenant",
      'Réponse au stagiaire | Réponse au participant',
      'Mensaje al alumno | Mensaje para el alumno | Mensaje al participante | Mensaje al estudiante | Respuesta al alumno',
      'Mensagem ao aluno | Mensagem para o aluno | Mensagem ao formando | Mensagem ao participante | Resposta ao aluno',
      'رسالة إلى المتدرب | رسالة الى المتدرب | رسالة للمتدرب | رسالة إلى الطالب | رد على المتدرب',
    ),
  },
  group: {
    label: 'Group',
    invalid: 'GROUP_INVALID',
    headings: splitList(
      'Groups | Group name | Class | Class name | Classes | Cohort | Cohort name | Cohorts | Gruppe | Gruppen | Gruppenname',
      'Klasse | Klassen | Kursgruppe | Kohorte | Groupe | Groupes | Nom du groupe | Classe | Grupo | Grupos',
      'Nombre del grupo | Nome do grupo | Clase | Turma | المجموعة | اسم المجموعة | المجموعات | الفصل | الصف',
    ),
  },
  fullName: {
    label: 'Full name',
    invalid: 'NAME_INVALID',
    headings: splitList(
      'Name | Complete name | Display name | Person name | Names',
      'First and last name | First name and surname | Vollständiger Name | Vor- und Nachname | Ganzer Name',
      'Last name, first name | Last name first name | Surname and first name | Nachname, Vorname | Nachname und Vorname',
      'Name, Vorname | Name und Vorname | Nom, prénom | Nom et prénoms | Apellidos y nombre | Apellidos y nombres',
      'Apellido y nombre | Apellidos, nombre',
      'Nom complet | Nom et prénom | Prénom et nom | Nombre completo | Nombre y apellidos | Nombre y apellido',
      'Nome completo | Nome e sobrenome | الاسم الكامل | الإسم الكامل | الاسم | الإسم | الاسم الرباعي',
      'الاسم الثلاثي',
    ),
  },
  suspended: {
    label: null,
    invalid: 'IS_ACTIVE_UNKNOWN',
    headings: splitList(
      'Is suspended | Account suspended | User suspended | Gesperrt | Ist gesperrt | Suspendu | Est suspendu',
      'Suspendido | Está suspendido | Suspenso | Está suspenso | موقوف | Block sign in | Block credential | Blocked',
      'Disabled | Account disabled | Deactivated',
    ),
  },
};
