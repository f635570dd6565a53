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

/** The refusal of a file whose code page isn't certain, with those that it may be in. */
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

/** A sample of a file is small enough. */
const limits: SourceLimits = { fieldBytes: 64 * 1024, recordBytes: 64 * 1024, columns: 1024 };
const namesPerCandidate = 100;
const shownNames = 3;

interface ReadSample {
  header: readonly string[];
  rows: readonly string[][];
  /** The columns with names; none where the header doesn't say which. */
  columns: number[];
}

/** Reads a sample in an encoding. */
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

/** The refusal with names of the file: the same ones in each candidate, those first that differ most. */
async function addNames({ candidates: encodings, sample, line }: DoubtfulCodePage): Promise<DoubtfulEncoding> {
  const read = await Promise.all(encodings.map((encoding) => readSample(sample, encoding)));
  // Headings, too, may be readable in one of them alone. Names are usually in front.
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

/** {@link inspectFile} of people. @throws AppError as that does, {@link DoubtfulEncoding} where the encoding is uncertain */
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
