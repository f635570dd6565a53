import { col, fn } from 'sequelize';
import { type FileKind, fileKinds } from '../../schemas/file.js';
import type { Core } from '../core.js';

interface Usage {
  files: number;
  bytes: number;
}

export interface StorageUsage extends Usage {
  byKind: Record<FileKind, Usage>;
}

/** Counts live files, without files that are marked for deletion. */
export async function storageUsage(core: Core): Promise<StorageUsage> {
  const groups = await core.database.read(() =>
    core.database.models.StoredFile.findAll({
      attributes: ['kind', [fn('COUNT', col('bytes')), 'files'], [fn('SUM', col('bytes')), 'total']],
      where: { state: 'live' },
      group: ['kind'],
    }),
  );
  const usageOf = (kind: FileKind): Usage => {
    const group = groups.find((one) => one.kind === kind);
    // Some drivers return sums as text.
    return { files: Number(group?.get('files') ?? 0), bytes: Number(group?.get('total') ?? 0) };
  };
  // The keys are the kinds.
  const byKind = Object.fromEntries(fileKinds.map((kind) => [kind, usageOf(kind)])) as Record<FileKind, Usage>;
  const sum = (key: keyof Usage) => Object.values(byKind).reduce((total, usage) => total + usage[key], 0);
  return { files: sum('files'), bytes: sum('bytes'), byKind };
}
