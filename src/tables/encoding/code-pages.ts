import iconv from 'iconv-lite';
import type { CodePage } from '../../schemas/file-format.js';
import { countLettersBeyondAscii, looksReadable, looksWestern } from './garbled-text.js';

/** Code pages by their names in jschardet. */
const codePageByDetectorName: Readonly<Record<string, CodePage>> = {
  'Windows-1250': 'windows-1250',
  'Windows-1251': 'windows-1251',
  'Windows-1252': 'windows-1252',
  'Windows-1253': 'windows-1253',
  'Windows-1254': 'windows-1254',
  'Windows-1255': 'windows-1255',
  'Windows-1256': 'windows-1256',
  'Windows-1257': 'windows-1257',
  CP874: 'windows-874',
  MacRoman: 'macintosh',
  CP932: 'shift_jis',
  GB18030: 'gb18030',
  Big5: 'big5',
  CP949: 'euc-kr',
};

/** Names in iconv-lite of encodings that jschardet names differently. */
const iconvNames: Readonly<Record<string, string>> = { MacLatin2: 'maccenteuro' };

/** With fewer non-ASCII letters, only Windows-1252, the usual case, counts as certain. */
const minLettersForCertainty = 10;
/** Minimum confidence in a rival code page, relative to the likeliest. */
const minRivalShare = 0.85;
/** Minimum confidence in Windows-1252, relative to the likeliest code page. */
const minWesternShare = 0.5;
/** Minimum confidence for proposing a code page, relative to the likeliest. */
const minProposedShare = 0.3;
const maxProposed = 4;

/** A code page in which the text consists of words. */
interface Candidate {
  encoding: CodePage;
  text: string;
  /** Confidence of jschardet, from 0 to 1. */
  confidence: number;
}

/** The code page of a file if it is certain; otherwise candidates, the likeliest first. */
export interface CodePageGuess {
  encoding?: CodePage;
  candidates: CodePage[];
}

const unbounded = { minimumThreshold: 0 };

/** Returns the highest confidence in an unsupported encoding that gives other readable text; 0 if there is none. */
async function unsupportedConfidence(sample: Buffer, text: string): Promise<number> {
  const { detectAll } = await import('jschardet');
  const others = detectAll(sample, unbounded).filter(({ encoding }) => {
    if (encoding === null || encoding in codePageByDetectorName) return false;
    const name = iconvNames[encoding] ?? encoding;
    if (!iconv.encodingExists(name)) return true;
    const otherwise = iconv.decode(sample, name);
    return otherwise !== text && looksReadable(otherwise);
  });
  return Math.max(0, ...others.map(({ confidence }) => confidence));
}

async function findCandidates(sample: Buffer): Promise<Candidate[]> {
  const { detectAll } = await import('jschardet');
  const found = detectAll(sample, { ...unbounded, detectEncodings: Object.keys(codePageByDetectorName) });
  return found
    .flatMap(({ encoding: name, confidence }): Candidate[] => {
      const encoding = name === null ? undefined : codePageByDetectorName[name];
      return encoding === undefined ? [] : [{ encoding, confidence, text: iconv.decode(sample, encoding) }];
    })
    .filter(({ text }) => looksReadable(text));
}

/** Detects the code page of a file. @param sample lines with non-ASCII bytes, of a file that is neither UTF-8 nor UTF-16 */
export async function guessCodePage(sample: Buffer): Promise<CodePageGuess> {
  // The sample is empty if the non-ASCII bytes are only in the ends of long lines, which were cut off.
  if (sample.length === 0) return { encoding: 'windows-1252', candidates: [] };
  const found = await findCandidates(sample);
  const western = found.find(({ encoding, text }) => encoding === 'windows-1252' && looksWestern(text));
  const candidates = found.filter(({ encoding }) => encoding !== 'windows-1252' || western !== undefined);
  const [first] = candidates;
  if (first === undefined) return { candidates: [] };
  const letters = countLettersBeyondAscii(first.text);
  const isUsual = ({ confidence, text }: Candidate) =>
    confidence >= minWesternShare * first.confidence || text === first.text || letters < minLettersForCertainty;
  if (western && isUsual(western)) return { encoding: 'windows-1252', candidates: [] };
  const hasRival = candidates.some(
    ({ confidence, text }) => text !== first.text && confidence > minRivalShare * first.confidence,
  );
  if (letters < minLettersForCertainty) return { candidates: proposeCodePages(candidates, 0) };
  const unsupported = await unsupportedConfidence(sample, first.text);
  if (first.confidence < minRivalShare * unsupported) return { candidates: [] };
  const isClear = !hasRival && first.confidence >= unsupported;
  return isClear
    ? { encoding: first.encoding, candidates: [] }
    : { candidates: proposeCodePages(candidates, minProposedShare * first.confidence) };
}

/** Returns the likeliest candidates that give different texts. */
function proposeCodePages(candidates: readonly Candidate[], least: number): CodePage[] {
  return candidates
    .filter(({ confidence }) => confidence >= least)
    .filter(({ text }, index, all) => all.findIndex((other) => other.text === text) === index)
    .slice(0, maxProposed)
    .map(({ encoding }) => encoding);
}
