/**
 * A copy of src/schemas/sort-key.ts, for what runs beside the built program, or beside the source alone: migrations and seeders.
 * Another order needs another file, as the result of a migration must not change later.
 */

const separator = '  ';
const plainWord = /^[a-z]+$/i;
const isAscii = /^[\0-\x7f]*$/;
const beyondAscii = /[^\0-\x7f]/gu;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
const shortI = /\u0438\u0306/g;
const aboveDigits = /(?![!-.])[\p{P}\p{S}]/gu;
const dash = /^\p{Pd}$/u;
const digit = /^\p{Nd}$/u;
const firstMark = 0x300;
const mark = /^[\p{M}\uff9e\uff9f]$/u;
const maxMarks = 30;

const letters = new Map([
  ...Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ς: 'σ' }),
  ...Object.entries({ ŋ: 'nŋ', ŧ: 'tŧ', ə: 'eə' }),
  ...Object.entries({ ґ: 'гґ', ђ: 'дђ', є: 'еє', ѕ: 'зѕ', і: 'иі', ј: 'йј', љ: 'лљ', њ: 'нњ', ћ: 'тћ', џ: 'чџ' }),
  ...Object.entries({ '‘': "'", '’': "'", ʻ: "'", ʼ: "'", '“': '"', '”': '"', '„': '"' }),
]);

/** Normalising a text with many marks in a row takes long. No schema accepts one. */
function hasTooManyMarks(text) {
  let inARow = 0;
  for (const character of text) {
    inARow = character.codePointAt(0) >= firstMark && mark.test(character) ? inARow + 1 : 0;
    if (inARow > maxMarks) return true;
  }
  return false;
}

const normalized = (text, form) => (hasTooManyMarks(text) ? text : text.normalize(form));

function decimalDigit(character) {
  if (!digit.test(character) || character <= '9') return character;
  let value = 0;
  while (digit.test(String.fromCodePoint(character.codePointAt(0) - value - 1))) value += 1;
  return String(value % 10);
}

const plainCharacter = (character) => letters.get(character) ?? (dash.test(character) ? '-' : decimalDigit(character));

function folded(text) {
  if (isAscii.test(text)) return text.toLowerCase();
  const visible = text.replace(unseen, '');
  const plain = normalized(visible, 'NFKD').toLowerCase().replace(shortI, '\u0439').replace(accents, '');
  return normalized(plain, 'NFC').replace(beyondAscii, plainCharacter);
}

/** The key by which a name or title is sorted. @param most characters that the text may have */
function sortKey(text, most) {
  if (plainWord.test(text) && text.length <= most) return text.toLowerCase() + separator + text;
  const ordered = folded(text).replace(aboveDigits, '/$&').replace(/\s+/g, ' ').trim();
  const counted = ordered.length <= most ? ordered : Array.from(ordered).slice(0, most).join('').trimEnd();
  return counted + separator + text;
}

module.exports = { sortKey };
