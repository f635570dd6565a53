import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import type { WorkLimits } from './bounds.js';
import { damaged, WorkbookProblem } from './problem.js';

/** Maximum bytes of a text, a comment or a tag: no cell has as many. */
const maxTextBytes = 1024 * 1024;
/** Maximum nesting of elements; workbooks have about ten levels. */
const maxDepth = 100;
/** Bytes that are parsed at a time. After each piece, the caller can take the results that its handlers collected. */
const pieceBytes = 8192;

/** Callbacks for the elements of an XML part. Names come without prefix. */
export interface XmlHandlers {
  open?(name: string, attribute: (name: string) => string | undefined): void;
  close?(name: string): void;
  /** Called for each piece of a text. */
  text?(text: string): void;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** Returns the value of an attribute, preferably of the one without prefix. Runs for each cell, so it creates no objects. */
function attributeOf(attributes: readonly { name: string; value: string }[], wanted: string): string | undefined {
  let prefixed: string | undefined;
  for (const { name, value } of attributes) {
    if (name === wanted) return value;
    if (name.length > wanted.length && name.endsWith(wanted) && localName(name) === wanted) prefixed ??= value;
  }
  return prefixed;
}

/** Returns a decoder for the encoding of the first bytes: workbooks use UTF-8, or UTF-16 with a byte order mark. */
function decoderOf(start: Buffer): TextDecoder {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  return new TextDecoder('utf-8', { fatal: true });
}

/**
 * Parses an XML part as a stream. Yields after each piece, so that the caller can take the results of its handlers.
 * @param work counts the elements
 * @throws WorkbookProblem if the XML isn't well-formed, or declares a document type, whose entities can grow without bound
 */
export async function* parseXml(
  chunks: AsyncIterable<Buffer>,
  { elements }: Pick<WorkLimits, 'elements'>,
  handlers: XmlHandlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ position: false });
  // Bytes since the last event, which the parser buffers.
  let pendingBytes = 0;
  let depth = 0;
  parser.on('doctype', () => {
    throw new WorkbookProblem('DOCUMENT_TYPE', 'it declares a document type, which no spreadsheet program writes');
  });
  parser.on('error', (error) => {
    throw damaged(`its XML is damaged (${error.message})`, error);
  });
  // Attributes of the element that is being opened.
  let attributes: { name: string; value: string }[] = [];
  const attribute = (wanted: string) => attributeOf(attributes, wanted);
  parser.on('attribute', (found) => attributes.push(found));
  parser.on('opentag', ({ name }) => {
    pendingBytes = 0;
    depth += 1;
    elements.add(1);
    if (depth > maxDepth) throw damaged(`its elements are nested more than ${maxDepth} levels deep`);
    handlers.open?.(localName(name), attribute);
    attributes = [];
  });
  parser.on('closetag', ({ name }) => {
    pendingBytes = 0;
    depth -= 1;
    handlers.close?.(localName(name));
  });
  const text = (piece: string) => {
    pendingBytes = 0;
    handlers.text?.(piece);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  let decoder: TextDecoder | undefined;
  const decoded = (chunk?: Buffer) => {
    try {
      return decoder?.decode(chunk, { stream: chunk !== undefined }) ?? '';
    } catch (error) {
      throw damaged('its text is not UTF-8', error);
    }
  };
  for await (const chunk of chunks) {
    decoder ??= decoderOf(chunk);
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      pendingBytes += piece.length;
      parser.write(decoded(piece));
      if (pendingBytes > maxTextBytes) throw damaged('it has an endless text');
      yield;
    }
  }
  parser.write(decoded());
  parser.close();
  yield;
}

/** Parses a whole part. @throws as {@link parseXml} */
export async function readXml(
  chunks: AsyncIterable<Buffer>,
  work: Pick<WorkLimits, 'elements'>,
  handlers: XmlHandlers,
): Promise<void> {
  for await (const _ of parseXml(chunks, work, handlers));
}
