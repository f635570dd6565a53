import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import type { Work } from './bounds.js';
import { damaged, WorkbookProblem } from './problem.js';

/** Bytes that a text, a comment or a tag may have: no cell has as many. */
const maxTextBytes = 1024 * 1024;
/** Elements within each other at most; workbooks have about ten. */
const maxDepth = 100;
/** Bytes that are parsed at once: what handlers make of them is used before the next. */
const pieceBytes = 8192;

/** What is done with the elements of a part. Names have no prefix. */
export interface XmlHandlers {
  open?(name: string, attribute: (name: string) => string | undefined): void;
  close?(name: string): void;
  /** A piece of text, which may come in several. */
  text?(text: string): void;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** The value of an attribute, of one without a prefix before others. Without making objects: it runs for each cell. */
function attributeOf(attributes: readonly { name: string; value: string }[], wanted: string): string | undefined {
  let prefixed: string | undefined;
  for (const { name, value } of attributes) {
    if (name === wanted) return value;
    if (name.length > wanted.length && name.endsWith(wanted) && localName(name) === wanted) prefixed ??= value;
  }
  return prefixed;
}

/** The encoding that the first bytes say: workbooks have UTF-8, or UTF-16 with its mark. */
function decoderOf(start: Buffer): TextDecoder {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  return new TextDecoder('utf-8', { fatal: true });
}

/**
 * Parses a part as it comes; yields after each chunk, so that what the handlers have collected can be used.
 * @param work counts its elements
 * @throws WorkbookProblem for what isn't well-formed, and for a document type: its entities may be anything, and grow without bound
 */
export async function* parseXml(
  chunks: AsyncIterable<Buffer>,
  { elements }: Pick<Work, 'elements'>,
  handlers: XmlHandlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ position: false });
  // Characters since the last event: the parser keeps them until it ends.
  let pendingBytes = 0;
  let depth = 0;
  parser.on('doctype', () => {
    throw new WorkbookProblem('DOCUMENT_TYPE', 'it declares a document type, which no spreadsheet program writes');
  });
  parser.on('error', (error) => {
    throw damaged(`its XML is damaged (${error.message})`, error);
  });
  // Those of the element that is being opened.
  let attributes: { name: string; value: string }[] = [];
  const attribute = (wanted: string) => attributeOf(attributes, wanted);
  parser.on('attribute', (given) => attributes.push(given));
  parser.on('opentag', ({ name }) => {
    pendingBytes = 0;
    depth += 1;
    elements.add(1);
    if (depth > maxDepth) throw damaged(`it has elements within ${maxDepth} others`);
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
  work: Pick<Work, 'elements'>,
  handlers: XmlHandlers,
): Promise<void> {
  for await (const _ of parseXml(chunks, work, handlers));
}
