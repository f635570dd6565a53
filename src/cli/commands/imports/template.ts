import { operator } from '../../../services/core.js';
import { templateTable } from '../../../services/imports/output/template.js';
import { csvPieces, tablePieces } from '../../../tables/write/table.js';
import type { Result } from '../../core/command/run.js';
import { assertShowable, tableTarget, writeData } from '../../core/listing/file-output.js';
import type { ImportRun } from './mapping.js';

/** Writes a template to the file on the command line; without a file, writes CSV to standard output. @throws the errors of `writeData` */
export async function writeTemplate({ io, arguments: { file: named } }: ImportRun): Promise<Result> {
  if (named === undefined) {
    let template = '';
    for await (const piece of csvPieces(templateTable(operator))) template += piece;
    return { text: template.trimEnd(), json: { template } };
  }
  const target = tableTarget(named);
  assertShowable(io, target);
  await writeData(io, target.file, tablePieces(templateTable(operator), target.format));
  return { text: `Fill in ${named}, then import it.`, json: { file: named } };
}
