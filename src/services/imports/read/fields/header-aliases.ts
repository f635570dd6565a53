import { type ImportField, importFields } from '../../../../schemas/import.js';
import { maxHeadingLength } from '../../../../tables/table/text.js';
import { headingKey, headingWords, splitList } from './headings.js';
import { importFieldRules } from './import-fields.js';

export interface HeadingMatch {
  field: ImportField;
  /** The lower, the likelier. Negative if the heading mentions the learner. */
  rank: number;
}

/** Fields whose columns all count, and whose cells may list several names. */
export const isList = (field: ImportField): boolean => field === 'course' || field === 'group';

/** Whether a field may have several columns, which spreadsheets number. */
export const isRepeatable = (field: ImportField): boolean => isList(field) || field === 'phone' || field === 'isActive';

/** Matches annotations that programs add to a heading. */
const annotation =
  /\[[^\]]*\]|\((required|optional|yes ?\/ ?no|pflichtfeld|obligatoire|obligatorio|obrigatório|مطلوب)\)|\*|(?<=\S\s)(required|optional|pflichtfeld|obligatoire|obligatorio|obrigatório)\s*$/giu;

const numbered = /^(.*\D)\s*(\d{1,2})$/u;

/** Returns the usual meaning of a heading. Ignores annotations of programs, and numbers of repeatable fields. */
export function matchHeading(heading: string): HeadingMatch | undefined {
  if (heading.length > maxHeadingLength) return undefined;
  const known = matchByKey.get(headingKey(heading));
  if (known) return known;
  const name = heading.replace(annotation, ' ').trim();
  const [, base = '', number] = numbered.exec(name) ?? [];
  const plain = matchByKey.get(headingKey(number === undefined ? name : base));
  if (plain === undefined) return matchLearnerHeading(name);
  if (number !== undefined && !isRepeatable(plain.field)) return undefined;
  return { ...plain, rank: plain.rank + Number(number ?? 0) / 100 };
}

/** Headings that identify an export of enrollments, together with `course` and `status`. */
const enrollmentExportHeadings = [
  'progress',
  'notesAt',
  'replyAt',
  'replyBy',
  'cancelReason',
  'enrolledAt',
  'completedAt',
  'waitingPlace',
];

/**
 * Returns a function that matches the headings of a file. In an export of enrollments, `status` belongs to the enrollment,
 * and `courseId` only repeats `course`.
 */
export function headingMatcherFor(headings: readonly string[]): (heading: string) => HeadingMatch | undefined {
  const isExport = headings.some((heading) => enrollmentExportHeadings.includes(heading.trim()));
  if (!isExport || !headings.includes('course')) return matchHeading;
  return (heading) => {
    if (heading.trim() === 'status') return { field: 'enrollmentStatus', rank: 0 };
    return heading.trim() === 'courseId' ? undefined : matchHeading(heading);
  };
}

const learner = new RegExp(
  ` (${splitList(
    'students? | learners? | trainees? | participants? | pupils? | child | attendee | schulers? | schulerin | teilnehmers?',
    'teilnehmerin | teilnehmenden | eleve | etudiant | participante? | alumno | estudiante | aluno | estudante | الطالب | المتدرب',
  ).join('|')})(?= )`,
  'gu',
);
const connectors = / (s|des|der|de|du|del|do|da|of|the|la|le|l)(?= )/gu;

/** Matches headings that mention the learner, such as "Student Email". Other addresses of the file may then be a parent's. */
function matchLearnerHeading(name: string): HeadingMatch | undefined {
  const text = headingWords(name);
  const about = text.replace(learner, '');
  const known = about === text ? undefined : matchByKey.get(headingKey(about.replace(connectors, '')));
  const isPersonal = known !== undefined && /^(firstName|lastName|fullName|email|phone)$/.test(known.field);
  return isPersonal ? { field: known.field, rank: known.rank - 1000 } : undefined;
}

const matchByKey: ReadonlyMap<string, HeadingMatch> = buildMatchByKey();

function buildMatchByKey() {
  const names = new Map<string, HeadingMatch>();
  for (const field of importFields) {
    [field, ...importFieldRules[field].headings].forEach((name, rank) => {
      const key = headingKey(name);
      if (!names.has(key)) names.set(key, { field, rank });
    });
  }
  return names;
}

/** Matches normalized headings of other columns with passwords. */
const secretHeading = /pass|pwd|kennwort|contrasena|senha|secret|geheim|motde|hash|token|كلمةالمرور|كلمةالسر/;
/** Matches hashes as other programs export them, and long hexadecimal texts. */
const secretCell = /^\s*(\$[\w-]{1,20}\$|\{[\w-]{2,12}\}|pbkdf2|[\da-f]{32,}\s*$)/i;

/** Whether the cells of a column may be passwords, whatever its mapping. @param field mapped field, if any */
export function isSecretColumn({ heading, field }: { heading: string; field: ImportField | null }): boolean {
  const key = headingKey(heading);
  const usual = matchHeading(heading)?.field;
  return [field, usual].some((one) => one === 'password' || one === 'passwordHash') || secretHeading.test(key);
}

/** Whether a cell is a hash. */
export const isSecretCell = (cell: string): boolean => secretCell.test(cell);
