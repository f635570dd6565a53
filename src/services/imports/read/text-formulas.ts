import type { Delimiter } from '../../../schemas/import.js';

const quote = 0x22;
const equals = 0x3d;
const formulaStart = Buffer.from('="');
/** How far the end of a formula is searched for, in bytes: longer than any accepted cell. */
const longestFormula = 256 * 1024;

/**
 * Quotes cells like `="0123"`, as CSV demands. People write them unquoted to keep leading zeros, and spreadsheets accept
 * that; a strict parser reports quotes in the middle of a field.
 * @param chunks a table in UTF-8
 */
export async function* quotedFormulas(chunks: AsyncIterable<Buffer>, delimiter: Delimiter): AsyncGenerator<Buffer> {
  const ends = new Set([delimiter.charCodeAt(0), 0x0d, 0x0a]);
  let waiting: Buffer = Buffer.alloc(0);
  /** The byte before the current chunk; a line break before the first. */
  let before = 0x0a;
  let inQuotes = false;

  /** @returns the rewritten parts, and the index from which bytes must wait for the next chunk */
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

  /** The end of the formula that begins at `start`; `none` if it is no formula, `unknown` if the next chunk decides. */
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

/** The parts as one buffer: to yield each part would cost more than to parse it. */
function* joined(parts: readonly Buffer[]): Generator<Buffer> {
  const [only = Buffer.alloc(0)] = parts;
  const bytes = parts.length === 1 ? only : Buffer.concat(parts);
  if (bytes.length > 0) yield bytes;
}

/** Whether a formula may begin in these bytes. */
const hasFormula = (bytes: Buffer) => bytes.includes(formulaStart) || bytes.at(-1) === equals;
