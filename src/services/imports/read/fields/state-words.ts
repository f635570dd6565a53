import { headingKey, headingWords, splitList } from './headings.js';

/** Words for yes and no, in the languages of the headings. Spreadsheets write some of them for TRUE and FALSE. */
const answers = {
  yes: splitList('true | yes | y | 1 | wahr | ja | vrai | oui | verdadero | sí | si | verdadeiro | sim | نعم'),
  no: splitList('false | no | n | 0 | falsch | nein | faux | non | falso | não | nao | لا'),
};

/** Words for active and inactive accounts. Case, accents, spaces and punctuation don't count. */
const states = {
  yes: splitList(
    'active | enabled | attending | checked in | aktiv | aktiviert | actif | active | activé | activo | activa | ativo | ativa',
    'نشط | نشطة | فعال | مفعل',
  ),
  no: splitList(
    'inactive | disabled | suspended | withdrawn | not attending | to be deleted | deleted | deactivated | archived',
    'terminated | left | locked | blocked | inaktiv | deaktiviert | gesperrt | ausgeschieden | ausgetreten | abgemeldet',
    'gelöscht | archiviert | inactif | désactivé | suspendu | supprimé | retiré | parti | archivé | bloqué | inactivo',
    'inactiva | desactivado | suspendido | retirado | baja | eliminado | bloqueado | archivado | inativo | inativa',
    'desativado | suspenso | excluído | arquivado | desligado | غير نشط | غير فعال | معلق | موقوف | محذوف | منسحب | معطل',
  ),
};

const answerYes = new Set(answers.yes);
const answerNo = new Set(answers.no);
const stateYes = new Set(states.yes.map(headingKey));
const stateNo = new Set(states.no.map(headingKey));

const tick = /^\s*([x✓✔☑])\s*$/iu;
const noTick = /^\s*[-–—✗✘☐]?\s*$/u;

export const isTick = (cell: string): boolean => tick.test(cell);

/** Whether a word means an active account; undefined for other words. */
function activeFromStateWord(word: string): boolean | undefined {
  const key = headingKey(word);
  return stateYes.has(key) ? true : stateNo.has(key) ? false : undefined;
}

/**
 * Whether a cell means an active account; undefined for an unknown word.
 * @param column `isSuspendedColumn` for a column of suspended accounts; `isTicked` if a blank cell means no
 */
export function parseActive(
  cell: string,
  { isSuspendedColumn, isTicked }: { isSuspendedColumn: boolean; isTicked: boolean },
): boolean | undefined {
  const key = cell.trim().toLowerCase();
  if (answerYes.has(key) || (isTicked && isTick(cell))) return !isSuspendedColumn;
  if (answerNo.has(key) || (isTicked && noTick.test(cell))) return isSuspendedColumn;
  // "Suspended" means the same under any heading.
  return activeFromStateWord(cell);
}

const anyWordPattern = (...lines: readonly string[]) => new RegExp(` (${splitList(...lines).join('|')}) `, 'u');

const activeHeading = anyWordPattern(
  '\\S*status | active | enabled | aktiv | statut | actif | activo | situacao | ativo | الحالة | حالة | نشط',
);
const inactiveHeading = anyWordPattern(
  'inactive | disabled | suspended | deactivated | terminated | withdrawn | inaktiv | gesperrt | ausgeschieden | inactif',
  'suspendu | inactivo | suspendido | baja | inativo | suspenso | موقوف',
);

/** Whether a yes under this heading means an inactive account. */
export const saysInactive = (heading: string): boolean =>
  inactiveHeading.test(headingWords(heading)) && !activeHeading.test(headingWords(heading));

/** Matches ambiguous headings: "State" may be a part of a country. */
const vagueHeading = / (state|state|etat|estado|zustand) /u;

/** Whether a column may tell which accounts are active, by its heading or by words such as "suspended" in its cells. */
export function looksLikeState(heading: string, values: readonly string[]): boolean {
  const filled = values.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return false;
  const text = headingWords(heading);
  if (activeHeading.test(text) || inactiveHeading.test(text)) return true;
  return vagueHeading.test(text) && filled.some((cell) => activeFromStateWord(cell) !== undefined);
}

const exclusionWords = anyWordPattern(
  'deceased | dead | died | date of death | do not( \\S+){0,2} (e ?mails?|mails?|contact|phone|call|calls|sms|text|invite|disturb)',
  'don t (e ?mail|mail|contact|call|invite) | no( bulk)? (e ?mails?|mails?|mailings?|contact) | unsub\\S* | opt(ed)? ?out | bounced?',
  // Field names of Salesforce, exported in capitals.
  '(has)?opt(ed)?out(of\\S+)? | donot(e?mail|contact|call)\\S* | (is)?(email)?bounced\\S* | is(deleted|deceased) | deleted',
  'blacklisted | blocklisted | suppressed | on hold | verstorben\\S* | gestorben | todesdatum',
  'kein\\S* (e ?mails?|mails?|kontakt|post|werbung|newsletter|einladung|einladungen) | \\S*sperre | \\S*sperrvermerk',
  'nicht (kontaktieren|anschreiben|anmailen|mailen|anrufen|einladen) | abgemeldet | abbestellt | ausgetragen | widersprochen',
  'decede\\S* | (date (de|du) )?deces | ne (pas|plus) (contacter|envoyer|ecrire|appeler|relancer|solliciter|inviter)',
  'pas d (e ?mails?|mails?|courriels?) | desabonne\\S* | desinscrit\\S* | fallecid[oa]s? | difunt[oa]s? | defuncion',
  'no (contactar|enviar|llamar|molestar|escribir|invitar) | dad[oa] de baja | desuscrit[oa]s? | falecid[oa]s? | obito',
  'nao (contatar|contactar|enviar|ligar|incomodar|convidar) | descadastrad[oa]s? | desinscrit[oa]s?',
  'متوفى | متوفي | متوفاة | وفاة | لا ترسل | لا تتصل | لا تراسل | عدم (الاتصال|المراسلة|الارسال) | (الغى|الغاء|ملغي) الاشتراك',
  'geloscht\\S* | supprimee?s? | eliminad[oa]s? | excluid[oa]s? | محذوفة?',
);

/** Whether a heading or a cell says that people have died, or want no mail. */
export const mentionsExclusion = (text: string): boolean => exclusionWords.test(headingWords(text));

const nonExclusionWords = new Set(
  splitList(
    'none | never | null | n/a | off | f | ok | allow | allowed | alive | living | active | subscribed | lebt | lebend | aktiv',
    'erlaubt | zulassen | nie | kein | keine',
    'aucun | jamais | vivant | vivante | ninguno | ninguna | nunca | vivo | viva | nenhum | nenhuma | حي',
  ),
);

/** Whether a cell under an exclusion heading confirms the exclusion: with a word, a date or a tick. */
export function confirmsExclusion(cell: string): boolean {
  const key = cell.trim().toLowerCase();
  return !noTick.test(cell) && !answerNo.has(key) && !nonExclusionWords.has(key) && !/^0[0.:/ -]*$/.test(key);
}
