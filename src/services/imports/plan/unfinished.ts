import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { Encoding } from '../../../schemas/file-format.js';
import {
  type ImportOptions,
  type ImportStatus,
  parseImportOptions,
  serializeImportOptions,
} from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import { mapColumns } from '../read/columns/columns.js';

const unfinishedStatuses: readonly ImportStatus[] = ['running', 'interrupted', 'failed', 'cancelled'];

interface FileAndOptions {
  fileSha256: string;
  options: ImportOptions;
}

/**
 * Finds an unfinished import at a terminal of the same file with the same options, if its ledger is kept. With `abort`, also
 * finds a refused import whose rows are not all undone.
 */
export async function findUnfinished(core: Core, { fileSha256, options }: FileAndOptions): Promise<Import | null> {
  const isUnfinished = { status: [...unfinishedStatuses] };
  const isRefused = { status: 'undoing', errorCode: 'IMPORT_REFUSED', undoneAt: null } as const;
  return core.database.read(() =>
    core.database.models.Import.findOne({
      where: {
        fileSha256,
        optionsJson: serializeImportOptions(options),
        origin: 'cli',
        [Op.or]: options.onError === 'abort' ? [isUnfinished, isRefused] : [isUnfinished],
        ledgerClosedAt: null,
      },
      order: [['number', 'DESC']],
    }),
  );
}

const policiesText = ({ map: _, encoding: __, ...others }: ImportOptions): string =>
  serializeImportOptions(others as ImportOptions);

/**
 * Returns the options of an unfinished import that reads the same file in the same way; otherwise the requested options. The
 * two may differ: `--map` may omit columns that a person was asked about, and the encoding may be detected instead of named.
 * @param read header and encoding of the file with the requested options
 */
export async function reuseUnfinishedOptions(
  core: Core,
  { fileSha256, options }: FileAndOptions,
  read: { header: readonly string[]; encoding: Encoding },
): Promise<ImportOptions> {
  const records = await core.database.read(() =>
    core.database.models.Import.findAll({
      where: { fileSha256, origin: 'cli', status: [...unfinishedStatuses, 'undoing'], ledgerClosedAt: null },
      order: [['number', 'DESC']],
    }),
  );
  const columnsOf = (options: ImportOptions) =>
    JSON.stringify([...mapColumns(read.header, options.map, [], options).columns]);
  const known = records.map(({ optionsJson }) => parseImportOptions(optionsJson));
  const isSame = (other: ImportOptions) =>
    policiesText(other) === policiesText(options) &&
    [options.encoding, read.encoding].includes(other.encoding) &&
    columnsOf(other) === columnsOf(options);
  return (
    known.find((other) => serializeImportOptions(other) === serializeImportOptions(options)) ??
    known.find(isSame) ??
    options
  );
}
