import type { Delimiter } from '../../../schemas/import.js';

const quote = 0x22;
const equals = 0x3d;
const formulaStart = Buffer.from('="');
/** How far a formula is looked for its end: far enough for any cell that would be accepted. */
const longestFormula = 256 * 1024;

/**
 * Puts cells like `="0123"` in quotes, as CSV would have it. Spreadsheets read and people write them without, to keep
 * leading zeros; a strict reader takes them for quotes in the middle of a field.
 * @param chunks a table in UTF-8
 */
export async function* quotedFormulas(chunks: AsyncIterable<Buffer>, delimiter: Delimiter): AsyncGenerator<Buffer> {
  const ends = new Set([delimiter.charCodeAt(0), 0x0d, 0x0a]);
  let waiting: Buffer = Buffer.alloc(0);
  /** The byte before those at hand; a line break before the first. */
  let before = 0x0a;
  let inQuotes = false;

  /** @returns what may go on, and how many bytes of the end have to wait for what follows */
  function rewrite(bytes: Buffer, isLast: boolean): { parts: Buffer[]; end: number } {
    const parts: Buffer[] = [];
    let [at, copied] = [0, 0];
    while (at < bytes.length) {
      const byte = bytes[at];
      if (byte === quote) inQuotes = !inQuotes;
      else if (byte === equals && !inQuotes && ends.has(at === 0 ? before : (bytes[at - 1] ?? 0))) {
        const end = formulaEnd(bytes, at, isLast);
        if (end === 'unknown') return { parts: [...parts, bytes.subarray(copied, at)], end: at };
        if (end !== 'none') {
          const cell = bytes.toString('latin1', at, end).replaceAll('"', '""');
          parts.push(bytes.subarray(copied, at), Buffer.from(`"${cell}"`, 'latin1'));
          copied = end;
          at = end;
          continue;
        }
      }
      at += 1;
    }
    return { parts: [...parts, bytes.subarray(copied)], end: bytes.length };
  }

  /** Where the formula ends that begins here, if one does, and if it can be told yet. */
  function formulaEnd(bytes: Buffer, start: number, isLast: boolean): number | 'none' | 'unknown' {
    const open = isLast || bytes.length - start > longestFormula ? 'none' : 'unknown';
    if (start + 1 >= bytes.length) return open;
    if (bytes[start + 1] !== quote) return 'none';
    let at = start + 2;
    while (at < bytes.length) {
      const closing = bytes.indexOf(quote, at);
      if (closing < 0) return open;
      if (closing - start > longestFormula) return 'none';
      const next = bytes[closing + 1];
      if (next === undefined) return isLast ? closing + 1 : open;
      if (ends.has(next)) return closing + 1;
      if (next !== quote) return 'none';
      at = closing + 2;
    }
    return open;
  }

  for await (const chunk of chunks) {
    const bytes = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
    if (bytes.length === 0) continue;
    const { parts, end } = hasFormula(bytes) ? rewrite(bytes, false) : passed(bytes);
    waiting = bytes.subarray(end);
    if (end > 0) before = bytes[end - 1] ?? before;
    yield* joined(parts);
  }
  if (waiting.length > 0) yield* joined(rewrite(waiting, true).parts);

  function passed(bytes: Buffer): { parts: Buffer[]; end: number } {
    if (bytes.includes(quote)) for (const byte of bytes) if (byte === quote) inQuotes = !inQuotes;
    return { parts: [bytes], end: bytes.length };
  }
}

/** The parts as one piece: to hand over each part costs more than to read it. */
function* joined(parts: readonly Buffer[]): Generator<Buffer> {
  const [only = Buffer.alloc(0)] = parts;
  const bytes = parts.length === 1 ? only : Buffer.concat(parts);
  if (bytes.length > 0) yield bytes;
}

/** Whether a formula may begin in these bytes. */
const hasFormula = (bytes: Buffer) => bytes.includes(formulaStart) || bytes.at(-1) === equals;
