import type { EncodingCandidate } from '../../../db/models/import-plan.js';
import { isAppError } from '../../../errors.js';
import type { CodePage, Encoding } from '../../../schemas/file-format.js';
import { openCsv } from '../../../tables/csv/csv-source.js';
import { FileProblem } from '../../../tables/encoding/source-file.js';
import { DoubtfulCodePage, type Inspection, inspectFile } from '../../../tables/inspect.js';
import type { SourceLimits } from '../../../tables/table/table.js';
import { headerRules } from './columns/header-rules.js';
import { isSecretColumn } from './fields/header-aliases.js';
import { fieldsOfHeader, shortenText } from './preview.js';

/** Refusal of a file whose code page is uncertain, with the candidates. */
export class DoubtfulEncoding extends FileProblem {
  constructor(
    readonly candidates: readonly EncodingCandidate[],
    override readonly line: number,
  ) {
    const options = candidates.map(({ encoding, names }) => `  --encoding ${encoding}: ${names.join(', ')}`);
    super(
      'ENCODING_DOUBTFUL',
      `The file is not UTF-8, and its encoding is not certain. Save it as "CSV UTF-8", or name the encoding in which the names are right:\n${options.join('\n')}`,
      line,
    );
  }
}

const limits: SourceLimits = { fieldBytes: 64 * 1024, recordBytes: 64 * 1024, columns: 1024 };
const namesPerCandidate = 100;
const shownNames = 3;

interface ReadSample {
  header: readonly string[];
  rows: readonly string[][];
  /** Indexes of the columns with names; empty if the header doesn't show them. */
  columns: number[];
}

async function readSample(file: Buffer, encoding: CodePage): Promise<ReadSample> {
  async function* bytes() {
    yield file;
  }
  try {
    const { header, first, close } = await openCsv(bytes(), { encoding, delimiter: 'auto' }, limits, headerRules());
    await close();
    const rows = first.map(({ cells }) => cells);
    const fields = fieldsOfHeader(header, {}, rows);
    const columns = [...fields].filter(([, field]) => ['firstName', 'lastName', 'fullName'].includes(field));
    return { header, rows, columns: columns.map(([index]) => index).sort((one, other) => one - other) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { header: [], rows: [], columns: [] };
  }
}

const isBeyondAscii = (text: string) => /[^\0-\x7f]/.test(text);

/** Adds names of the file to the refusal: the same rows for each candidate, starting with the rows that differ most. */
async function addNames({ candidates: encodings, sample, line }: DoubtfulCodePage): Promise<DoubtfulEncoding> {
  const read = await Promise.all(encodings.map((encoding) => readSample(sample, encoding)));
  // Some candidates may garble headings, too. Without known headings, the first two columns usually have the names.
  const isSecret = (index: number) =>
    read.some(({ header }) => isSecretColumn({ heading: header[index] ?? '', field: null }));
  const columns = read.find((one) => one.columns.length > 0)?.columns ?? [0, 1].filter((index) => !isSecret(index));
  const texts = read.map(({ rows }) =>
    rows.map((cells) =>
      shortenText(
        columns
          .map((index) => (cells[index] ?? '').trim())
          .filter(Boolean)
          .join(' '),
      ),
    ),
  );
  const places = Array.from({ length: namesPerCandidate }, (_, row) => row)
    .filter((row) => texts.every((names) => isBeyondAscii(names[row] ?? '')))
    .map((row) => ({ row, differing: new Set(texts.map((names) => names[row])).size }))
    .sort((one, other) => other.differing - one.differing)
    .slice(0, shownNames);
  const candidates = encodings.map((encoding, index) => ({
    encoding,
    names: places.map(({ row }) => texts[index]?.[row] ?? ''),
  }));
  return new DoubtfulEncoding(candidates, line);
}

/**
 * Inspects a file of people.
 * @throws AppError the errors of {@link inspectFile}, but {@link DoubtfulEncoding} if the encoding is uncertain
 */
export async function inspectPeopleFile(
  chunks: AsyncIterable<Buffer>,
  wanted?: Encoding | 'auto',
): Promise<Inspection> {
  try {
    return await inspectFile(chunks, wanted);
  } catch (error) {
    throw error instanceof DoubtfulCodePage ? await addNames(error) : error;
  }
}
