import type { ImportableRole } from '../../../../schemas/import.js';
import { headingKey, splitList } from './headings.js';

/**
 * Words for the roles in spreadsheets and other programs, in the languages of the headings. Case, accents and punctuation
 * don't count, so "Teilnehmer/in" equals "Teilnehmerin". Words for administrators are missing, because an import creates
 * none.
 */
const roleWords: Readonly<Record<ImportableRole, readonly string[]>> = {
  trainee: splitList(
    'trainee | trainees | student | learner | participant | attendee | pupil | apprentice',
    'Teilnehmer | Teilnehmerin | Teilnehmende | Teilnehmender | Kursteilnehmer | Kursteilnehmerin | Lernende',
    'Lernender | Schüler | Schülerin | Studentin | Studierende | Studierender | Auszubildende | Auszubildender',
    // ILIAS uses Kursmitglied and Kurstutor.
    'Azubi | Kursmitglied',
    'stagiaire | apprenant | apprenante | participante | élève | étudiant | étudiante | apprenti | apprentie',
    'alumno | alumna | estudiante | aprendiz',
    'aluno | aluna | estudante | formando | formanda',
    'متدرب | متدربة | المتدرب | طالب | طالبة | الطالب | تلميذ | تلميذة | مشارك | مشاركة | متعلم | متعلمة',
    'دارس',
  ),
  trainer: splitList(
    'trainer | trainers | teacher | instructor | tutor | lecturer | coach | facilitator | educator',
    // From Moodle.
    'editingteacher | non-editing teacher',
    'Trainerin | Lehrer | Lehrerin | Lehrkraft | Lehrende | Lehrender | Dozent | Dozentin | Kursleiter',
    'Kursleiterin | Ausbilder | Ausbilderin | Referent | Referentin | Tutorin | Kurstutor | Kurstutorin',
    'formateur | formatrice | enseignant | enseignante | professeur | professeure | instructeur | instructrice',
    'tuteur | tutrice',
    'profesor | profesora | docente | formador | formadora | instructora | maestro | maestra | tutora',
    'professor | professora | instrutor | instrutora | treinador | treinadora',
    'مدرب | مدربة | المدرب | معلم | معلمة | المعلم | مدرس | مدرسة | أستاذ | أستاذة | محاضر | محاضرة',
  ),
};

const roleByKey = new Map<string, ImportableRole>();
for (const role of ['trainee', 'trainer'] as const)
  for (const word of roleWords[role]) roleByKey.set(headingKey(word), role);

/** Returns the role of a word; undefined for an unknown word. */
export const parseRole = (word: string): ImportableRole | undefined => roleByKey.get(headingKey(word));
