import iconv from 'iconv-lite';
import type { CodePage } from '../../schemas/file-format.js';
import { countLettersBeyondAscii, looksReadable, looksWestern } from './garbled-text.js';

/** How jschardet names the code pages. */
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

/** How iconv-lite names encodings that jschardet names otherwise. */
const iconvNames: Readonly<Record<string, string>> = { MacLatin2: 'maccenteuro' };

/** With fewer letters beyond ASCII nothing but Windows-1252, the usual case, is certain. */
const minLettersForCertainty = 10;
/** What is less likely than this in proportion to another code page is no rival of it. */
const minRivalShare = 0.85;
/** Western texts are at least so likely in proportion to the likeliest code page. */
const minWesternShare = 0.5;
/** How likely a code page must be in proportion to the likeliest to be proposed. */
const minProposedShare = 0.3;
const maxProposed = 4;

/** A code page in which a text makes words. */
interface Candidate {
  encoding: CodePage;
  text: string;
  /** How likely jschardet takes it to be. */
  confidence: number;
}

/** The code page of a file where it is clear, or else those that it may be in, the likeliest first: none if none makes words. */
export interface CodePageGuess {
  encoding?: CodePage;
  candidates: CodePage[];
}

const unbounded = { minimumThreshold: 0 };

/** How likely the likeliest encoding is that isn't among ours and makes other words of a text; 0 if there is none. */
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

/** @param sample lines of a file that is neither UTF-8 nor UTF-16, with bytes beyond ASCII */
export async function guessCodePage(sample: Buffer): Promise<CodePageGuess> {
  // Only lines that are far too long for people have such bytes.
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
  const outside = await unsupportedConfidence(sample, first.text);
  if (first.confidence < minRivalShare * outside) return { candidates: [] };
  const isClear = !hasRival && first.confidence >= outside;
  return isClear
    ? { encoding: first.encoding, candidates: [] }
    : { candidates: proposeCodePages(candidates, minProposedShare * first.confidence) };
}

/** The likeliest of the candidates that make different texts. */
function proposeCodePages(candidates: readonly Candidate[], least: number): CodePage[] {
  return candidates
    .filter(({ confidence }) => confidence >= least)
    .filter(({ text }, index, all) => all.findIndex((other) => other.text === text) === index)
    .slice(0, maxProposed)
    .map(({ encoding }) => encoding);
}
